import { type Interacted } from '@sluice/sdk-core';

/** A vector in the format of its file (schema/vector.schema.json, README.md). */
export interface Vector {
  readonly name: string;
  /** Pages and headings that say what the vector checks. */
  readonly docs: readonly string[];
  readonly platform?: readonly string[];
  readonly config?: VectorConfig;
  /** Initial time of the device's clock. */
  readonly clock?: string;
  /** Fractions for the waits, drawn in order; 0.5 after the last one. */
  readonly random?: readonly number[];
  readonly uuids?: Partial<Record<string, readonly string[]>>;
  readonly steps: readonly Step[];
}

/** A file of vectors as it is written. A vector with `cases` stands for one vector per case (README.md, "Cases"). */
export interface VectorFile {
  readonly vectors: readonly (Vector & { readonly cases?: readonly Case[] })[];
}

/** Values that differ between vectors of the same steps, by the names that the steps give them. */
export type Case = Readonly<Record<string, unknown>> & { readonly case: string };

export interface VectorConfig {
  readonly credentials?: { readonly apiKey: string; readonly sourceIdentifier: string };
  readonly host?: string;
  readonly eventsPath?: string;
  readonly consent?: 'granted' | 'pending' | 'denied';
  readonly flushAt?: number;
  readonly flushInterval?: number;
  readonly maxAge?: number;
  readonly maxMessages?: number;
  readonly maxBytes?: number;
  readonly plugins?: readonly string[];
  /** `web` shows 2 buttons and reports the clicked one; `native` shows 3. */
  readonly platform?: 'web' | 'native';
  readonly context?: Readonly<Record<string, unknown>>;
  readonly isSender?: boolean;
}

export type Answer =
  | 'queued'
  | 'cut-before'
  | 'cut-after'
  | 'hang'
  | {
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body?: unknown;
      readonly stores?: boolean;
    };

export interface Step {
  readonly on?: string;
  readonly call?: string;
  readonly args?: readonly unknown[];
  /** Number of calls. Each adds its number, from 0, to the first argument. */
  readonly times?: number;
  readonly returns?: unknown;
  readonly advance?: number | string;
  readonly clock?: string;
  readonly server?: readonly Answer[];
  readonly store?: 'full' | 'works' | 'lost' | 'values-lost' | 'crash';
  readonly start?: VectorConfig;
  readonly lifecycle?: 'hide' | 'show' | 'online' | 'wake';
  /** Data of an arriving push message. */
  readonly push?: unknown;
  readonly interact?: Interacted;
  readonly expect?: Expectation;
}

export interface ExpectedRequest {
  readonly method?: string;
  readonly path?: string;
  readonly host?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly key?: string;
  readonly kind?: string;
  readonly messages?: readonly string[];
  readonly repeats?: number;
  readonly keepalive?: boolean;
  readonly bytes?: number;
  /** Status of the real gateway's answer; 200 if left out. */
  readonly gateway?: number;
}

export interface Expectation {
  readonly requests?: readonly ExpectedRequest[];
  readonly reports?: readonly { readonly code: string; readonly count?: number; readonly requestId?: string }[];
  readonly stored?: readonly string[];
  readonly queue?: readonly Readonly<Record<string, unknown>>[];
  readonly values?: Readonly<Record<string, string | null>>;
  readonly identity?: Readonly<Record<string, string | null>>;
  readonly result?: unknown;
  /** Notification that the push message shows; null if the SDK ignores the message. */
  readonly notification?: unknown;
  readonly leftOut?: readonly string[];
}
