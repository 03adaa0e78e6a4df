import { type Answer } from '../vector.js';

/** A vector of a client of the catalog, in the format of its file (schema/catalog-vector.schema.json, README.md). */
export interface CatalogVector {
  readonly name: string;
  /** Pages and headings that say what the vector checks. */
  readonly docs: readonly string[];
  readonly config?: CatalogVectorConfig;
  /** Fractions for the waits, drawn in order; 0.5 after the last one. */
  readonly random?: readonly number[];
  readonly steps: readonly CatalogStep[];
}

export interface CatalogVectorConfig {
  readonly credentials?: { readonly apiKey: string; readonly sourceIdentifier: string };
  readonly apiHost?: string;
  readonly parallel?: number;
  readonly flushInterval?: number;
  readonly maxAge?: number;
}

export interface CatalogStep {
  readonly call?: 'send' | 'delete' | 'flush' | 'close';
  readonly args?: readonly unknown[];
  /** Number of calls. Each adds its number, from 0, to the id. */
  readonly times?: number;
  /** Result of the call, or `waits` if it has none yet. */
  readonly returns?: unknown;
  readonly advance?: number | string;
  readonly server?: readonly Answer[];
  readonly expect?: CatalogExpectation;
}

export interface ExpectedCatalogRequest {
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly key?: string;
  /** Ids of the entities, in the order of the list. */
  readonly ids?: readonly string[];
  readonly repeats?: number;
  /** Status of the real gateway's answer; 200 if left out. */
  readonly gateway?: number;
  /** Fields that the real gateway names as rejected; none if left out. */
  readonly rejected?: readonly string[];
}

interface CatalogExpectation {
  readonly requests?: readonly ExpectedCatalogRequest[];
  readonly reports?: readonly { readonly code: string; readonly count?: number; readonly requestId?: string }[];
  /** What onRefused got since the last `refused`. */
  readonly refused?: readonly { readonly type: string; readonly id: string; readonly reasons: readonly string[] }[];
  /** Result of the last `flush` or `close`. */
  readonly result?: { readonly sent: number; readonly refused: number; readonly left: number };
}
