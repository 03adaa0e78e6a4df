import { header } from '@sluice/contracts';
import { activeSpan, isTracing, type Link, parseTraceparent, SpanKind, startSpan, withinSpan } from '@sluice/service';
import { type Block } from '../protocol/block.js';

/** Upper bound of links. A span has one parent, but a block has messages of many traces, so its span links to them. */
const maxLinks = 64;

/** A sampled trace of a message. */
interface TracedMessage {
  readonly traceparent: string;
  readonly link: Link;
}

/**
 * Works on a block within a span that links to the traces of its messages; without a span if none is traced. When the
 * work is done, each of these traces gets a span of its own as well: one id leads from the request to the stored row.
 */
export function withinBlockSpan<T>(verb: 'store' | 'bury', block: Block, work: () => Promise<T>): Promise<T> {
  if (!isTracing()) return work();
  const traced = tracedMessages(block);
  if (traced.length === 0) return work();
  const { id, topic, partition, messages, replay } = block;
  const attributes = {
    'messaging.system': 'kafka',
    'messaging.destination.name': topic,
    'messaging.destination.partition.id': String(partition),
    'messaging.batch.message_count': messages.length,
    'sluice.block': id,
    'sluice.replay': replay,
  };
  const links = traced.map(({ link }) => link);
  const startTime = Date.now();
  return withinSpan(
    `${verb} ${topic}`,
    () => ({ kind: SpanKind.CONSUMER, parent: '', links, attributes }),
    async () => {
      const outcome = await work();
      const context = activeSpan()?.spanContext();
      for (const { traceparent } of traced)
        startSpan(`${verb === 'store' ? 'stored' : 'buried'} ${topic}`, {
          kind: SpanKind.CONSUMER,
          parent: traceparent,
          startTime,
          attributes: { 'sluice.block': id },
          links: context ? [{ context }] : [],
        }).end();
      return outcome;
    },
  );
}

/** The first messages with distinct sampled traceparents. */
function tracedMessages({ messages }: Block): TracedMessage[] {
  const traceparents = new Set<string>();
  const traced: TracedMessage[] = [];
  for (const { headers } of messages) {
    const traceparent = headers?.[header.traceparent]?.toString();
    if (traceparent === undefined || traceparents.has(traceparent)) continue;
    traceparents.add(traceparent);
    const context = parseTraceparent(traceparent);
    if (context && context.traceFlags > 0) traced.push({ traceparent, link: { context } });
    if (traced.length === maxLinks) break;
  }
  return traced;
}
