import { adRequestTopic, interactionTopic } from '@sluice/contracts';

/** Whoever a message on the disk counts for: a source, or all clients of a route without a key together. */
export type Holder = string;

/** Text length within which a row names its source: the gateway's own columns come first. */
const headLength = 256;
const source = /"source_id":"([^"\\]+)"/;
/** Quotes of a client's text are escaped in a row. */
const byCallback = '"reported_by":["callback"]';

/**
 * The holder of a message, by what is on the disk. The source that a callback or an ad request names says nothing: they
 * come without its key. Messages without a row share one holder.
 */
export function holderOf(topic: string, value: string | Uint8Array): Holder {
  if (topic === adRequestTopic.name) return 'ad requests';
  const isInteraction = topic === interactionTopic.name;
  const row = textOf(value, isInteraction ? value.length : headLength);
  if (isInteraction && row.includes(byCallback)) return 'push callbacks';
  return source.exec(row.slice(0, headLength))?.[1] ?? '';
}

const textOf = (value: string | Uint8Array, length: number): string =>
  typeof value === 'string'
    ? value.slice(0, length)
    : Buffer.from(value.buffer, value.byteOffset, Math.min(length, value.length)).toString('latin1');
