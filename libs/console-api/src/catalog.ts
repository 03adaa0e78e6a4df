/** Types of entities of a catalog: docs/tables.md#the-catalog. */
export type EntityKind = 'seller' | 'product' | 'product_variant' | 'category' | 'general';

/** One source, or all. */
export interface CatalogQuery {
  /** @maxLength 64 */
  source?: string;
}

/** Entities of a type that a source sent and did not delete. */
export interface EntityCount {
  readonly source: string;
  readonly sourceName: string;
  readonly type: EntityKind;
  readonly entities: number;
  /** Arrival of the newest state, ISO 8601 UTC. */
  readonly newest: string;
}

export interface CatalogContent {
  /** At most 500, those with the newest arrival first. */
  readonly counts: readonly EntityCount[];
  /** Number of all counts. */
  readonly found: number;
}

export interface CatalogIssuesQuery {
  /**
   * Source of the catalog.
   * @maxLength 64
   */
  catalog: string;
  /**
   * Source of the events by which the worst issues are found; that of the catalog by default.
   * @maxLength 64
   */
  source?: string;
}

/** An issue of one entity: docs/tables.md#catalog_issues. Ids are masked. */
export interface ShownCatalogIssue {
  readonly entity: 'product_variant' | 'product' | 'category';
  readonly entityId: string;
  /** Whether the id is masked, so that nothing can be asked by it. */
  readonly isMasked: boolean;
  readonly issue: string;
  /** Id that the entity names and the catalog does not have, or the parent that it contradicts; else empty. */
  readonly names: string;
  /** ISO 8601 UTC. */
  readonly since: string;
  /** Events of the last 7 days on the product, or on products of the category. */
  readonly events: number;
}

export interface ShownCatalogIssues {
  /** Days after which an entity that no message stated is an issue. */
  readonly days: number;
  /** Number of entities with each issue. */
  readonly counts: readonly { readonly issue: string; readonly entities: number }[];
  /** The worst 100, those that most events touched first. */
  readonly issues: readonly ShownCatalogIssue[];
}

export interface VariantHistoryQuery {
  /**
   * Source of the catalog.
   * @maxLength 64
   */
  catalog: string;
  /**
   * Id of the variant.
   * @maxLength 255
   */
  variant: string;
}

/** A state of a variant that differs from the one before it. Numbers are exact text. */
export interface VariantChange {
  /** ISO 8601 UTC. */
  readonly began: string;
  /** Null for the present state. */
  readonly ended: string | null;
  readonly product: string;
  readonly seller: string;
  readonly price: string;
  readonly discountedPrice: string | null;
  readonly stock: string;
  readonly isAvailable: boolean;
  readonly isBuyBoxWinner: boolean;
  readonly isDeleted: boolean;
}

export interface VariantHistory {
  /** The newest 200, newest first. */
  readonly changes: readonly VariantChange[];
  /** Number of all changes. */
  readonly found: number;
}

export interface CatalogImportsQuery {
  /**
   * Source of the catalog.
   * @maxLength 64
   */
  catalog: string;
}

/** Result of `operator catalog import --replace`, which compares its file with the stored catalog. */
export interface ComparedFeed {
  /** Records of entities that were not stored. */
  readonly added: number;
  readonly changed: number;
  readonly same: number;
  /** Stored entities that the file did not have. */
  readonly deleted: number;
  readonly stored: number;
}

/** A file that `operator catalog import` sent. */
export interface CatalogImport {
  /** ISO 8601 UTC. */
  readonly began: string;
  /** `intended` while it runs, and for good if it was killed. */
  readonly outcome: 'intended' | 'done' | 'failed';
  /** Name of the file, without its folder. */
  readonly file: string;
  readonly type: EntityKind;
  /** Whether it also deleted what the file did not have. */
  readonly isReplacement: boolean;
  /** Absent for an import that only sends. */
  readonly compared?: ComparedFeed;
  /** Absent unless it is done. */
  readonly sent?: {
    readonly records: number;
    readonly refused: number;
    /** Records of which some values were not stored. */
    readonly partlyStored: number;
    readonly seconds: number;
  };
}

export interface CatalogImports {
  /** The newest 20, newest first. */
  readonly imports: readonly CatalogImport[];
}

export interface EntityStatesQuery {
  /**
   * Source of the catalog.
   * @maxLength 64
   */
  catalog: string;
  kind: 'seller' | 'product' | 'category';
  /**
   * Id of the entity.
   * @maxLength 255
   */
  id: string;
}

/** A state of an entity. */
export interface EntityState {
  /** The version: the time that the sender gave, or of the arrival. ISO 8601 UTC. */
  readonly version: string;
  /** Arrival, ISO 8601 UTC. */
  readonly arrived: string;
  readonly isDeleted: boolean;
  /** Columns with a value, as text; empty for a deletion. */
  readonly fields: readonly { readonly name: string; readonly value: string }[];
}

export interface EntityStates {
  /** The newest 20 that the table still has, newest first: merges remove older ones. */
  readonly states: readonly EntityState[];
}
