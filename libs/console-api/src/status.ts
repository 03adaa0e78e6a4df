/**
 * Verdict on a part of the system.
 * - `ok`: all is well.
 * - `attention`: someone should look, but no data is late.
 * - `late`: data waits longer than it should.
 * - `unreachable`: a server does not answer in time.
 * - `unknown`: it cannot be known, because another server does not answer.
 */
export type Verdict = 'ok' | 'attention' | 'late' | 'unreachable' | 'unknown';

/** Verdict and summary of a part of the report. */
export interface Judged {
  verdict: Verdict;
  /** One line for people. */
  summary: string;
}

/** State of one data topic. Times are ISO 8601, ages are seconds. */
export interface TopicStatus {
  topic: string;
  partitions: number;
  retentionDays: number | null;
  consumer: string;
  /** Number of processes of the consumer. */
  members: number;
  /** Number of messages that are not stored and confirmed yet. */
  lag: number;
  /** Partitions with lag; the oldest message of each waits at least `waitsSeconds`, and less than twice as long. */
  behind: { partition: number; messages: number; waitsSeconds: number }[];
  /** Time at which Kafka took the oldest of these messages. */
  lateSince: string | null;
}

export interface DeadLetterStatus {
  topic: string;
  /** Number of letters that retention has not deleted; some may be counted twice. */
  letters: number;
  /** Number of letters that were neither sent back nor dismissed, and are not stored. */
  untreated?: number;
  newest: string | null;
  /** Time of the oldest untreated letter, where it is known. */
  oldestUntreated?: string | null;
  /** Reasons of the newest letters, most frequent first. */
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
  /** Name of the process for people. */
  name?: string;
  /** Reason why it could not be asked, with everything else 0; null when it answers. */
  unreachable: string | null;
  version: string | null;
  spoolMessages: number;
  spoolBytes: number;
  spoolOldestAgeSeconds: number;
  /** Number of accepted messages that Kafka refused or the disk damaged; they are in the gateway's `refused` folder. */
  spoolRefused: number;
  requests: number;
  /** Refused requests since the start, most frequent reason first. */
  refused: { reason: string; requests: number }[];
  /** Sources whose further new names of this day are kept as text. */
  namesReached?: string[];
}

/** A stuck partition and the reason: see `sluice_consumer_stuck_seconds` in docs/metrics.md. */
export interface StuckStatus {
  topic: string;
  partition: number;
  what: string;
  code: string;
  seconds: number;
}

/** A view of others on a table of Sluice: see `sluice_clickhouse_foreign_view_failing` in docs/metrics.md. */
export interface ForeignViewStatus {
  /** `database.name`. */
  view: string;
  table: string;
  /** Error of ClickHouse, or `SLOW`. */
  code: string;
}

export interface ConsumerStatus {
  url: string;
  /** Name of the process for people. */
  name?: string;
  /** Error of the request to it, with everything else empty; null when it answers. */
  unreachable: string | null;
  /** Whether it was asked, and said nothing in the time of an answer: it hangs, or its connection was lost. */
  isSilent?: boolean;
  /** Stuck partitions, longest first. */
  stuck: StuckStatus[];
  /** Number of offsets that were deleted before they were stored, with retention or their topic, since the start. */
  lostOffsets: number;
  /** Materialized views of others that fail or are slow in INSERTs; their errors are ignored. */
  foreignViews?: ForeignViewStatus[];
}

/** A part that has a verdict. */
export type StatusPart =
  'kafka' | 'data' | 'deadLetters' | 'clickhouse' | 'migrations' | 'consumers' | 'gateways' | 'sources';

/** The state of a part that follows from a problem of another part: what ends the problem ends this. */
export interface Consequence extends Judged {
  part: StatusPart;
}

/** A problem of a part: since when, its meaning, the action to take, and its consequences in other parts. */
export interface StatusProblem {
  id: string;
  part: StatusPart;
  verdict: Verdict;
  summary: string;
  /** Time at which it began, from the data where they have it; else the time at which this console first saw it. */
  since: string | null;
  meaning: string;
  action: string;
  /** Path and heading of a page in docs, such as `docs/runbooks.md#datalate`. */
  runbook: string;
  consequences?: Consequence[];
}

/** An enabled source whose clients lose what they send: the thresholds are those of the alerts. */
export interface TroubledSource {
  sourceIdentifier: string;
  name: string;
  /** `refused`: of its requests of 15 minutes none was taken. `silent`: it sent nothing for an hour, unlike a day ago. */
  trouble: 'refused' | 'silent';
  /** Requests that were refused, or messages of the same hour a day ago. */
  count: number;
  /** Time of its newest message that was taken, if it is known. */
  newest: string | null;
}

/** The report of `operator status`; a part whose server is unreachable has that verdict and empty lists. */
export interface SystemReport {
  at: string;
  version: string;
  kafka: Judged & { brokers: number };
  data: Judged & {
    topics: TopicStatus[];
    /** Time of the last reading in which a server or a consumer stored nothing; what waited then is a backlog. */
    heldUpUntil?: string;
  };
  deadLetters: Judged & { topics: DeadLetterStatus[] };
  clickhouse: Judged & { version: string | null; tables: TableStatus[] };
  /** `differences` are tables and views that are not what the applied migrations make: `sessions: missing view`. */
  migrations: Judged & { applied: number; pending: string[]; changed: string[]; differences: string[] };
  consumers: Judged & { consumers: ConsumerStatus[] };
  gateways: Judged & { gateways: GatewayStatus[] };
}

/** The report of the console. */
export interface StatusReport extends SystemReport {
  sources: Judged & { sources: TroubledSource[] };
  /** Worst first. */
  problems?: StatusProblem[];
}

/** Whether a server answers: two looks without an answer decide, within 4 s. */
export interface ServerState {
  isUnreachable: boolean;
  /** Time since which it is unreachable, ISO 8601 UTC. */
  since: string | null;
  reason: string | null;
}

export interface Servers {
  kafka: ServerState;
  clickhouse: ServerState;
}

/** Names which server is unreachable: `none`, `kafka`, `clickhouse` or `kafka,clickhouse`. */
export function downIn(servers: Servers): string {
  const names = (['kafka', 'clickhouse'] as const).filter((name) => servers[name].isUnreachable);
  return names.length === 0 ? 'none' : names.join(',');
}

/** Names of the events of the stream `GET /api/now`, and their data. */
export interface NowEvents {
  /** State of the servers; sent at the beginning, and at each change. */
  servers: Servers;
  /** Sent every four seconds. */
  status: StatusReport;
  /** Sent when the stream ends; `limit` (30 min), `signed-out`, or `rights` (they changed: open it again). */
  end: { reason: 'limit' | 'signed-out' | 'rights' };
}

/** A range of time; both ends are ISO 8601 UTC, `to` is now by default and `from` an hour before it. */
export interface RangeQuery {
  /** @format date-time */
  from?: string;
  /** @format date-time */
  to?: string;
}

/** Points at equal distances. A missing value was not recorded, which is not 0. */
export interface Series {
  /** Start of each step, seconds since 1970. */
  times: number[];
  stepSeconds: number;
  /** Number per second. */
  accepted: (number | null)[];
  stored: (number | null)[];
  refused: (number | null)[];
  /** Time up to which each line is known, ISO 8601 UTC. */
  knownUntil?: { accepted: string | null; stored: string | null; refused: string | null };
  /** Outages within the range; `to` is null while one lasts. */
  outages?: { server: 'kafka' | 'clickhouse'; from: string; to: string | null }[];
}

/**
 * Why a source needs a look: `many-refused`, when more than 20 of its requests were refused, and those are a tenth of all or
 * more; `all-refused`, when they are all; `silent`, when its newest message came within the last day, but not within the
 * last hour.
 */
export type SourceLook = 'all-refused' | 'many-refused' | 'silent';

export interface SourceFreshness {
  sourceIdentifier: string;
  name: string;
  /** Time at which the newest event was received. */
  newestReceived: string | null;
  newestStored: string | null;
  events: number;
  refused: number;
  look?: SourceLook;
}

export interface Overview {
  range: { from: string; to: string };
  series: Series;
  /** Ten enabled sources at most, those that need a look first. */
  sources: SourceFreshness[];
  /** Number of enabled sources. */
  enabledSources: number;
  /** The query behind the series. */
  sql: string;
}
