import { type EventPlace, type FoundRequest } from '@sluice/operations';
import { grid, onOneLine, shortTime } from '../terminal-text.js';

export function describeRequest(found: FoundRequest): string {
  const head = `Request ${found.requestId}, received ${shortTime(found.receivedAt)}: ${count(found.events.length)}`;
  const events = found.events.length > 0 ? [tableOf(found.events)] : [];
  return [head, ...events, searched(found)].join('\n\n');
}

/** Describes what was searched, so that a reader knows what "not found" means. */
export function searched({ searched: { kafka, tables } }: FoundRequest): string {
  const parts = [
    kafka &&
      `Kafka, what came from ${shortTime(kafka.from)} to ${shortTime(kafka.until)}, and the dead letters since (${kafka.messagesRead} messages read)`,
    tables.length > 0 && `the tables ${tables.join(', ')}`,
  ].filter(Boolean);
  return parts.length === 0 ? 'Nothing could be searched.' : `Searched: ${parts.join('; ')}.`;
}

const count = (events: number): string => (events === 1 ? '1 message' : `${events} messages`);

function tableOf(events: readonly EventPlace[]): string {
  return grid(
    ['TOPIC', 'PARTITION:OFFSET', 'STATE', ''],
    events.map((event) => [event.topic, `${event.partition}:${event.offset}`, event.state, detail(event)]),
  );
}

function detail({ state, table, messageId, storedAt, reason, letter, kafkaTimestamp }: EventPlace): string {
  const into = table ?? 'no table';
  if (state === 'stored') {
    const id = messageId === undefined ? '' : `, message_id ${messageId}`;
    return `${into}${id}, stored ${shortTime(storedAt ?? '')}`;
  }
  if (state === 'dead-lettered') return `${onOneLine(reason ?? '')} (dead letter ${letter ?? ''})`;
  if (state === 'waiting') return `for ${into}, in Kafka since ${shortTime(kafkaTimestamp)}`;
  if (state === 'merged') return `confirmed for ${into}; an equal or newer message replaced it`;
  return `confirmed for ${into}; ClickHouse could not be asked`;
}
