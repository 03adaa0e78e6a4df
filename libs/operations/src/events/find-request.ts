import { type FoundRequest } from '@sluice/console-api';
import { type ClickHouseConfig } from '@sluice/clickhouse';
import { findMessages, type FoundMessages, type Kafka, type KafkaConfig, readConfirmed } from '@sluice/kafka';
import { withKafka } from '../servers/with-kafka.js';
import { destinations } from '../destinations.js';
import { OperationError } from '../operation-error.js';
import { placeEvents } from './event-place.js';
import { type RequestId } from './request-id.js';
import { findRows } from './stored-rows.js';

/** Time before the request that is searched too, because the clocks of the gateway and of Kafka may differ. */
const beforeMs = 60_000;
/** Time after the request for which Kafka is searched. */
const defaultWindowMs = 600_000;
/** Range around the request in which its messages usually reach Kafka, unless they wait on a gateway's disk. */
const near = { beforeMs: 10_000, afterMs: 20_000 };
const limitMs = 120_000;
const tables = destinations.map(({ table }) => table);

type Confirmed = ReadonlyMap<string, bigint>;
type Config = KafkaConfig & ClickHouseConfig;

/** Finds the stored events of a request. Asks only ClickHouse, so it takes no longer when Kafka holds much. */
export async function findStored(
  config: ClickHouseConfig,
  request: RequestId,
  unreachable: Unreachable = {},
): Promise<FoundRequest> {
  const { value, problem } = await settle(() => findRows(config, request), unreachable.clickhouse);
  return {
    requestId: request.id,
    receivedAt: isoTime(request.receivedAt),
    events: placeEvents({ rows: value, messages: undefined, letters: undefined, confirmed: () => undefined }),
    searched: { kafka: null, tables: value ? tables : [] },
    problems: problem === undefined ? [] : [problem],
  };
}

/** Servers that are known to be unreachable, with a sentence that says so. They are not asked. */
export interface Unreachable {
  readonly kafka?: string | undefined;
  readonly clickhouse?: string | undefined;
}

export interface Search {
  /** Time after the request for which Kafka is searched, 10 minutes by default. */
  readonly windowMs?: number;
  /**
   * Whether the whole window is read. By default, partitions confirmed to its end are read only near the request; other
   * messages are in the tables, unless their rows were merged.
   */
  readonly isThorough?: boolean;
  readonly unreachable?: Unreachable;
}

/** Finds the events of a request in Kafka and ClickHouse. */
export async function findRequest(
  config: Config,
  request: RequestId,
  { windowMs = defaultWindowMs, isThorough = false, unreachable = {} }: Search = {},
): Promise<FoundRequest> {
  const { receivedAt } = request;
  const range = { from: receivedAt - beforeMs, until: receivedAt + windowMs };
  // Read first: a message confirmed by now is stored or a dead letter, and the searches below find it there.
  const confirmed = await settle(() => withKafka(config, limitMs, readAllConfirmed), unreachable.kafka);
  const [kafka, rows] = await Promise.all([
    settle(() => search(config, request, range, isThorough ? undefined : confirmed.value), unreachable.kafka),
    settle(() => findRows(config, request), unreachable.clickhouse),
  ]);
  // Without the tables, only Kafka knows the messages that are stored.
  const isWhole = isThorough || rows.value !== undefined || kafka.value === undefined;
  const found = isWhole ? kafka : await settle(() => search(config, request, range));
  const events = placeEvents({
    rows: rows.value,
    messages: found.value?.messages,
    letters: found.value?.letters,
    confirmed: (topic, partition) => confirmed.value?.get(`${topic}:${partition}`),
  });
  const [from, until] = [isoTime(range.from), isoTime(range.until)];
  return {
    requestId: request.id,
    receivedAt: isoTime(receivedAt),
    events,
    searched: {
      kafka: found.value ? { from, until, messagesRead: found.value.read } : null,
      tables: rows.value ? tables : [],
    },
    problems: [...new Set([confirmed.problem ?? found.problem, rows.problem])].filter((one) => one !== undefined),
  };
}

const isoTime = (ms: number): string => new Date(ms).toISOString();

function search(
  config: Config,
  { id, receivedAt }: RequestId,
  range: { from: number; until: number },
  confirmed?: Confirmed,
): Promise<FoundMessages> {
  const topics = destinations.map(({ topic }) => topic);
  const times = { from: receivedAt - near.beforeMs, until: receivedAt + near.afterMs };
  const query = { requestId: id, topics, ...range, ...(confirmed && { near: { ...times, confirmed } }) };
  return withKafka(config, limitMs, (kafka) => findMessages(kafka, query));
}

/** Offsets below which the consumers have confirmed everything, of all data topics, by `topic:partition`. */
export function readAllConfirmed(kafka: Kafka): Promise<Confirmed> {
  const groups = Map.groupBy(destinations, ({ group }) => group);
  return readConfirmed(kafka, new Map([...groups].map(([group, all]) => [group, all.map(({ topic }) => topic)])));
}

/** Turns the failure of one server into a problem, so that the other is still asked. */
async function settle<T>(work: () => Promise<T>, whyNot?: string): Promise<{ value?: T; problem?: string }> {
  if (whyNot !== undefined) return { problem: whyNot };
  try {
    return { value: await work() };
  } catch (error) {
    if (error instanceof OperationError) return { problem: error.message };
    throw error;
  }
}
