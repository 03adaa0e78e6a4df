import { type RangeQuery } from './status.js';

/** Topic and range of a ledger; the range is at most a day, an hour by default. */
export interface LedgerQuery extends RangeQuery {
  /**
   * @pattern \S
   * @maxLength 100
   */
  topic: string;
}

/** How far a check is. */
export interface LedgerProgress {
  /** `none`: nobody has asked for this check, or its answer is forgotten. */
  state: 'none' | 'waiting' | 'running' | 'done';
  /** Number of other checks that run first. */
  ahead: number;
  /** Step that runs, from 1 on; 0 before the first. */
  step: number;
  steps: number;
}

/** A lost message, or one with several rows. */
export interface LedgerFinding {
  kind: 'missing' | 'doubled';
  partition: number;
  offset: string;
  messageId: string | null;
  requestId: string | null;
  /** Number of its rows. */
  rows: number;
}

/** offsets = rows + deadLetters + repeats + waiting + missing; `rows` counts a doubled message once. */
export interface Ledger {
  topic: string;
  table: string;
  range: { from: string; to: string };
  /** Messages of the range in Kafka. */
  offsets: string;
  rows: string;
  deadLetters: string;
  /** Messages whose message id is stored from another offset. */
  repeats: string;
  waiting: string;
  /** Number of surplus rows, of messages that were stored more than once. */
  doubled: string;
  /** Offsets that are accounted for nowhere. */
  missing: string;
  isWhole: boolean;
  /** At most 100. */
  findings: LedgerFinding[];
  /** Set when something could not be decided, such as more than 10,000 unexplained offsets. */
  remark: string | null;
  tookMs: number;
  sql: string;
}

/** Topics whose tables only append, which alone have a ledger. */
export interface LedgerTopics {
  topics: { topic: string; table: string }[];
}
