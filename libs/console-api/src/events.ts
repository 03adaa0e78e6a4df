import { type MaskedJson } from './payload.js';
import { type RangeQuery } from './status.js';

/** Stored messages of all kinds, newest first; 7 days by default. Filters are exact, but for `text`. */
export interface EventsQuery extends RangeQuery {
  /** @maxLength 200 */
  source?: string;
  /**
   * userId or anonymousId.
   * @maxLength 200
   */
  user?: string;
  /**
   * Event name, or the kind of entity, such as `identify` or `product`.
   * @maxLength 200
   */
  event?: string;
  /**
   * Text that the row contains, in any case.
   * @maxLength 200
   */
  text?: string;
  /**
   * Name of a data topic; all by default.
   * @maxLength 200
   */
  topic?: string;
  /**
   * Request id.
   * @maxLength 40
   */
  request?: string;
  /**
   * `next` of the list before.
   * @maxLength 200
   */
  before?: string;
  /**
   * 100 by default.
   * @integer
   * @minimum 1
   * @maximum 500
   */
  limit?: number;
}

/** A stored message; masked values are strings such as `‹string, 17, k3fa›`. */
export interface EventRow {
  /** `topic:partition:offset`. */
  id: string;
  topic: string;
  table: string;
  sourceIdentifier: string;
  sourceName: string;
  /** Event name, or the kind of entity. */
  event: string;
  /** userId, else anonymousId; empty without either. */
  user: string;
  /** Id of the catalog's entity, of the device, or of the notification. */
  entity: string;
  receivedAt: string;
  storedAt: string;
  requestId: string;
}

export interface EventList {
  range: { from: string; to: string };
  rows: EventRow[];
  /** Passed as `before`, gives older rows; null when there are none. */
  next: string | null;
  /** Set when a search for text stopped early: rows before this time were not looked at; `next` continues there. */
  searchedUntil: string | null;
  sql: string;
}

export interface EventDetail extends EventRow {
  payload: MaskedJson;
  sql: string;
}

export interface SearchQuery {
  /**
   * A name or an id of a source, a request id, a letter's id, a user, the name of an event.
   * @pattern \S
   * @maxLength 200
   */
  q: string;
}

export interface SearchHit {
  kind: 'source' | 'request' | 'letter' | 'user' | 'event';
  title: string;
  detail: string;
  /** Path of the console. */
  to: string;
}

export interface SearchResult {
  hits: SearchHit[];
  /** Servers that could not be searched, each with the reason. */
  problems: string[];
}
