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
const limitMs = 120_000;

type Confirmed = ReadonlyMap<string, bigint>;

/** Finds the events of a request in Kafka and ClickHouse. */
export async function findRequest(
  config: KafkaConfig & ClickHouseConfig,
  request: RequestId,
  windowMs: number,
): Promise<FoundRequest> {
  const range = { from: request.receivedAt - beforeMs, until: request.receivedAt + windowMs };
  // 1. Kafka, 2. ClickHouse: a message that is stored in between is found in both, instead of in neither.
  const kafka = await settle(withKafka(config, limitMs, (client) => search(client, request, range)));
  const rows = await settle(findRows(config, request));
  const events = placeEvents({
    rows: rows.value,
    messages: kafka.value?.messages,
    letters: kafka.value?.letters,
    confirmed: (topic, partition) => kafka.value?.confirmed.get(`${topic}:${partition}`),
  });
  const [from, until] = [isoTime(range.from), isoTime(range.until)];
  return {
    ...{ requestId: request.id, receivedAt: isoTime(request.receivedAt), events },
    searched: {
      kafka: kafka.value ? { from, until, messagesRead: kafka.value.read } : null,
      tables: rows.value ? destinations.map(({ table }) => table) : [],
    },
    problems: [kafka.problem, rows.problem].filter((problem) => problem !== undefined),
  };
}

const isoTime = (ms: number): string => new Date(ms).toISOString();

async function search(
  kafka: Kafka,
  { id }: RequestId,
  range: { from: number; until: number },
): Promise<FoundMessages & { confirmed: Confirmed }> {
  // Offsets are read before the messages: a message confirmed by then is stored or a dead letter, and is found later.
  const confirmed = await readAllConfirmed(kafka);
  const topics = destinations.map(({ topic }) => topic);
  return { ...(await findMessages(kafka, { requestId: id, topics, ...range })), confirmed };
}

/** Offsets below which the consumers have confirmed everything, of all data topics, by `topic:partition`. */
export async function readAllConfirmed(kafka: Kafka): Promise<Confirmed> {
  const groups = Map.groupBy(destinations, ({ group }) => group);
  const known = await Promise.all(
    [...groups].map(([group, ofGroup]) => {
      const topics = ofGroup.map(({ topic }) => topic);
      return readConfirmed(kafka, group, topics);
    }),
  );
  return new Map(known.flatMap((ofGroup) => [...ofGroup]));
}

/** Turns the failure of one server into a problem, so that the other one is still asked. */
async function settle<T>(work: Promise<T>): Promise<{ value?: T; problem?: string }> {
  try {
    return { value: await work };
  } catch (error) {
    if (error instanceof OperationError) return { problem: error.message };
    throw error;
  }
}
