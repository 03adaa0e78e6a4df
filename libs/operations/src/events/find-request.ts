import { type FoundRequest } from '@sluice/console-api';
import { type ClickHouseConfig } from '@sluice/clickhouse';
import {
  findMessages,
  type FoundMessages,
  type Kafka,
  type KafkaConfig,
  partitionKey,
  readConfirmed,
} from '@sluice/kafka';
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
const nearRange = { beforeMs: 10_000, afterMs: 20_000 };
const limitMs = 120_000;
const tables = destinations.map(({ table }) => table);

type ConfirmedOffsets = ReadonlyMap<string, bigint>;
type Config = KafkaConfig & ClickHouseConfig;

/** Finds the stored events of a request. Asks only ClickHouse, so it takes no longer when Kafka holds much. */
export async function findStored(
  config: ClickHouseConfig,
  request: RequestId,
  unreachable: Unreachable = {},
): Promise<FoundRequest> {
  const { value, problem } = await catchProblem(() => findRows(config, request), unreachable.clickhouse);
  return {
    requestId: request.id,
    receivedAt: isoTime(request.receivedAt),
    events: placeEvents({ rows: value, messages: undefined, letters: undefined, confirmedOffset: () => undefined }),
    searched: { kafka: null, tables: value ? tables : [] },
    problems: problem === undefined ? [] : [problem],
  };
}

/** Servers that are known to be unreachable, each with a sentence that says so. They are not asked. */
export interface Unreachable {
  readonly kafka?: string | undefined;
  readonly clickhouse?: string | undefined;
}

export interface Search {
  /** How long after the request Kafka is searched; 10 minutes by default. */
  readonly windowMs?: number;
  /**
   * Reads the whole window. By default, partitions confirmed to its end are read only near the request; other
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
  const confirmed = await catchProblem(() => withKafka(config, limitMs, readAllConfirmed), unreachable.kafka);
  const [firstSearch, rowSearch] = await Promise.all([
    catchProblem(
      () => searchKafka(config, request, range, isThorough ? undefined : confirmed.value),
      unreachable.kafka,
    ),
    catchProblem(() => findRows(config, request), unreachable.clickhouse),
  ]);
  // Without the tables, only Kafka knows the messages that are stored.
  const isEnough = isThorough || rowSearch.value !== undefined || firstSearch.value === undefined;
  const kafkaSearch = isEnough ? firstSearch : await catchProblem(() => searchKafka(config, request, range));
  const events = placeEvents({
    rows: rowSearch.value,
    messages: kafkaSearch.value?.messages,
    letters: kafkaSearch.value?.letters,
    confirmedOffset: (topic, partition) => confirmed.value?.get(partitionKey({ topic, partition })),
  });
  const [from, until] = [isoTime(range.from), isoTime(range.until)];
  return {
    requestId: request.id,
    receivedAt: isoTime(receivedAt),
    events,
    searched: {
      kafka: kafkaSearch.value ? { from, until, messagesRead: kafkaSearch.value.read } : null,
      tables: rowSearch.value ? tables : [],
    },
    problems: [...new Set([confirmed.problem ?? kafkaSearch.problem, rowSearch.problem])].filter(
      (problem) => problem !== undefined,
    ),
  };
}

const isoTime = (ms: number): string => new Date(ms).toISOString();

function searchKafka(
  config: Config,
  { id, receivedAt }: RequestId,
  range: { from: number; until: number },
  confirmed?: ConfirmedOffsets,
): Promise<FoundMessages> {
  const topics = destinations.map(({ topic }) => topic);
  const times = { from: receivedAt - nearRange.beforeMs, until: receivedAt + nearRange.afterMs };
  const query = { requestId: id, topics, ...range, ...(confirmed && { near: { ...times, confirmed } }) };
  return withKafka(config, limitMs, (kafka) => findMessages(kafka, query));
}

/** Offsets below which the consumers have confirmed everything, of all data topics, by `topic:partition`. */
export function readAllConfirmed(kafka: Kafka): Promise<ConfirmedOffsets> {
  const groups = Map.groupBy(destinations, ({ group }) => group);
  return readConfirmed(
    kafka,
    new Map([...groups].map(([group, groupDestinations]) => [group, groupDestinations.map(({ topic }) => topic)])),
  );
}

/** Turns the failure of one server into a problem, so that the other is still asked. */
async function catchProblem<T>(
  work: () => Promise<T>,
  unreachableReason?: string,
): Promise<{ value?: T; problem?: string }> {
  if (unreachableReason !== undefined) return { problem: unreachableReason };
  try {
    return { value: await work() };
  } catch (error) {
    if (error instanceof OperationError) return { problem: error.message };
    throw error;
  }
}
