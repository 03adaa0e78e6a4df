import { type EventPlace, type FoundRequest } from '@sluice/operations';
import { formatGrid, toOneLine, formatTime } from '../terminal-text.js';

export function describeRequest(request: FoundRequest): string {
  const head = `Request ${request.requestId}, received ${formatTime(request.receivedAt)}: ${countMessages(request.events.length)}`;
  const events = request.events.length > 0 ? [formatEvents(request.events)] : [];
  return [head, ...events, describeSearch(request)].join('\n\n');
}

/** Lists the searched places, so that a reader knows what "not found" means. */
export function describeSearch({ searched: { kafka, tables } }: FoundRequest): string {
  const parts = [
    kafka &&
      `Kafka, what came from ${formatTime(kafka.from)} to ${formatTime(kafka.until)}, and the dead letters since (${kafka.messagesRead} messages read)`,
    tables.length > 0 && `the tables ${tables.join(', ')}`,
  ].filter(Boolean);
  return parts.length === 0 ? 'Nothing could be searched.' : `Searched: ${parts.join('; ')}.`;
}

const countMessages = (events: number): string => (events === 1 ? '1 message' : `${events} messages`);

function formatEvents(events: readonly EventPlace[]): string {
  return formatGrid(
    ['TOPIC', 'PARTITION:OFFSET', 'STATE', ''],
    events.map((event) => [event.topic, `${event.partition}:${event.offset}`, event.state, describeEvent(event)]),
  );
}

function describeEvent({ state, table, messageId, storedAt, reason, letter, kafkaTimestamp }: EventPlace): string {
  const target = table ?? 'no table';
  if (state === 'stored') {
    const id = messageId === undefined ? '' : `, message_id ${messageId}`;
    return `${target}${id}, stored ${formatTime(storedAt ?? '')}`;
  }
  if (state === 'dead-lettered') return `${toOneLine(reason ?? '')} (dead letter ${letter ?? ''})`;
  if (state === 'waiting') return `for ${target}, in Kafka since ${formatTime(kafkaTimestamp)}`;
  if (state === 'merged') return `confirmed for ${target}; an equal or newer message replaced it`;
  return `confirmed for ${target}; ClickHouse could not be asked`;
}
