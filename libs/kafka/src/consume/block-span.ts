import { header } from '@sluice/contracts';
import { isTracing, type Link, parseTraceparent, SpanKind, withinSpan } from '@sluice/service';
import { type Block } from '../protocol/block.js';

/** A span has one parent, and a block the messages of many traces: it links to them, to no more than a viewer bears. */
const mostLinks = 64;

/** Stores a block within a span that links to the traces of its messages; without one where none is traced. */
export function withinBlockSpan<T>(block: Block, store: () => Promise<T>): Promise<T> {
  if (!isTracing()) return store();
  const links = linksOf(block);
  if (links.length === 0) return store();
  const { id, topic, partition, messages, replay } = block;
  const attributes = {
    'messaging.system': 'kafka',
    'messaging.destination.name': topic,
    'messaging.destination.partition.id': String(partition),
    'messaging.batch.message_count': messages.length,
    'sluice.block': id,
    'sluice.replay': replay,
  };
  return withinSpan(`store ${topic}`, () => ({ kind: SpanKind.CONSUMER, parent: '', links, attributes }), store);
}

/** To the first sampled traces, each once. */
function linksOf({ messages }: Block): Link[] {
  const seen = new Set<string>();
  const links: Link[] = [];
  for (const { headers } of messages) {
    const traceparent = headers?.[header.traceparent]?.toString();
    if (traceparent === undefined || seen.has(traceparent)) continue;
    seen.add(traceparent);
    const context = parseTraceparent(traceparent);
    if (context && context.traceFlags > 0) links.push({ context });
    if (links.length === mostLinks) break;
  }
  return links;
}
