/**
 * - `ok`: as it should be.
 * - `attention`: somebody should look, nothing is late.
 * - `late`: data waits longer than it should.
 * - `away`: it does not answer, or not in time.
 */
export type Verdict = 'ok' | 'attention' | 'late' | 'away';

/** What a part of the report comes down to. */
export interface Judged {
  verdict: Verdict;
  /** One line for people. */
  summary: string;
}

/** Times are ISO 8601, ages are seconds. */
export interface TopicStatus {
  topic: string;
  partitions: number;
  retentionDays: number | null;
  consumer: string;
  /** Processes of the consumer. */
  members: number;
  /** Messages that are not stored and confirmed. */
  lag: number;
  /** Partitions with lag; the oldest message of each waits at least `waitsSeconds`, and less than twice as long. */
  behind: { partition: number; messages: number; waitsSeconds: number }[];
  /** When Kafka took the oldest of them: data is late since then. */
  lateSince: string | null;
}

export interface DeadLetterStatus {
  topic: string;
  /** Those that retention has left, some of them perhaps twice. */
  letters: number;
  newest: string | null;
  /** Of the newest ones, the most frequent first. */
  reasons: { reason: string; letters: number }[];
}

export interface TableStatus {
  table: string;
  rows: number;
  newestReceived: string | null;
  newestStored: string | null;
}

export interface GatewayStatus {
  url: string;
  /** Why it could not be asked; everything else is 0 then. */
  away: string | null;
  version: string | null;
  spoolMessages: number;
  spoolBytes: number;
  spoolOldestAgeSeconds: number;
  /** Accepted messages that Kafka refused or the disk damaged, which lie in the gateway's `refused` folder. */
  spoolRefused: number;
  requests: number;
  /** Since it started, the most frequent first. */
  refused: { reason: string; requests: number }[];
}

/** A partition that does not get on, and why: see `sluice_consumer_stuck_seconds` in docs/metrics.md. */
export interface StuckStatus {
  topic: string;
  partition: number;
  what: string;
  code: string;
  seconds: number;
}

export interface ConsumerStatus {
  url: string;
  /** Error of the request to it, with everything else empty; null when it answers. */
  away: string | null;
  /** The longest first. */
  stuck: StuckStatus[];
  /** Offsets that were deleted before they were stored, by retention or with their topic, since the process started. */
  lostOffsets: number;
}

/** The whole of `operator status`; a part whose server is away has its verdict and empty lists. */
export interface StatusReport {
  at: string;
  version: string;
  kafka: Judged & { brokers: number };
  data: Judged & { topics: TopicStatus[] };
  deadLetters: Judged & { topics: DeadLetterStatus[] };
  clickhouse: Judged & { version: string | null; tables: TableStatus[] };
  migrations: Judged & { applied: number; pending: string[]; changed: string[] };
  consumers: Judged & { consumers: ConsumerStatus[] };
  gateways: Judged & { gateways: GatewayStatus[] };
}
