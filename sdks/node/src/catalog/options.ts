import { type SluiceError } from '@sluice/sdk-core';

/** Types of catalog entities, named like their paths in the Sync API. */
export type EntityType = 'seller' | 'product' | 'productVariant' | 'category' | 'general';

/** An entity or deletion that the service refused, and why; it is lost. */
export interface RefusedEntity {
  readonly type: EntityType;
  readonly id: string;
  readonly reasons: readonly string[];
}

export interface CatalogOptions {
  /** If blank or undefined, like a variable that is not set, the client does nothing and reports `disabled`. */
  readonly credentials: { readonly apiKey: string | undefined; readonly sourceIdentifier: string | undefined };
  /** Host of the service, like `https://sluice.example`; blank or undefined as above. */
  readonly apiHost: string | undefined;
  /** Requests at a time: 1 to 32, by default 4. */
  readonly parallel?: number | undefined;
  /** Milliseconds for which entities wait for others to fill their batch; by default 200. */
  readonly flushInterval?: number | undefined;
  /** Milliseconds for which a batch is tried; by default an hour. */
  readonly maxAge?: number | undefined;
  readonly errorHandler?: ((error: SluiceError) => void) | undefined;
  /** Is called for each entity that the service refuses. */
  readonly onRefused?: ((entity: RefusedEntity) => void) | undefined;
}

/** Numbers of entities and deletions since the client was made. */
export interface CatalogResult {
  /** Taken by the service, durably. */
  readonly sent: number;
  /** Refused by the service, or given up. */
  readonly refused: number;
  /** Accepted, and not sent when the time was over. */
  readonly left: number;
}

/** Sends a catalog. Of one entity, states arrive in the order of the calls. Nothing outlives the process. */
export interface CatalogClient {
  /**
   * Accepts the state of an entity, whole, with its id among its fields. Waits while a thousand are queued. Resolves with
   * false if it was not accepted, and errorHandler got the reason.
   */
  send(type: EntityType, entity: object): Promise<boolean>;
  /** Accepts a deletion, like `send`. */
  delete(type: EntityType, id: string, options?: { readonly updatedAt?: string | undefined }): Promise<boolean>;
  /** Resolves when everything that was accepted before is sent, refused or given up. */
  flush(): Promise<CatalogResult>;
  /** Accepts nothing more, and sends what is queued, for `timeout` milliseconds at most; without a limit by default. */
  close(options?: { readonly timeout?: number | undefined }): Promise<CatalogResult>;
  [Symbol.asyncDispose](): Promise<void>;
}
