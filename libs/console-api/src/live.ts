import { type MaskedJson } from './payload.js';
import { type RefusedRequest } from './refused.js';
import { type Servers } from './status.js';

/** Query of `GET /api/live`, a stream of server-sent events. Fixed operators only. */
export interface LiveQuery {
  /** @maxLength 200 */
  source?: string;
  /**
   * userId or anonymousId; with a source, its partition is read whole.
   * @maxLength 200
   */
  user?: string;
  /** @maxLength 200 */
  event?: string;
  /**
   * Name of a topic, such as `tracking.track.v1`; all data topics by default.
   * @maxLength 200
   */
  topic?: string;
}

/** One message in Kafka. */
export interface LiveRow {
  topic: string;
  partition: number;
  offset: string;
  /** Time at which Kafka took it. */
  at: string;
  /** Time at which the gateway received it. */
  receivedAt: string;
  requestId: string;
  sourceIdentifier: string;
  /** Empty when the source is not known. */
  sourceName: string;
  /** userId or anonymousId. */
  user: string;
  /** Event name, or the kind of entity. */
  event: string;
  payload: MaskedJson;
}

/** Data of each event `frame`, at most four a second. */
export interface LiveFrame {
  rows: LiveRow[];
  refused: RefusedRequest[];
  /** Messages read since the last frame, matching or not. */
  seen: number;
  /** Messages that were not read since the last frame; offsets are dense, so it is exact. */
  skipped: number;
  /** Matching rows that this viewer did not get. */
  dropped: number;
  /** Age of the newest message when it was read; null before the first. */
  lagMs: number | null;
  /** Offset below which all is stored, by `topic:partition`. A row with a smaller offset is stored. */
  confirmed: Record<string, string>;
}

/** Names of the events of the stream, and their data. */
export interface LiveEvents {
  frame: LiveFrame;
  servers: Servers;
  /** The stream ends; `full`, `slow`, `limit` (30 min), `signed-out`, or `rights` (they changed: open it again). */
  end: { reason: 'full' | 'slow' | 'limit' | 'signed-out' | 'rights' };
}
