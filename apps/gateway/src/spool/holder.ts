import { adRequestTopic, interactionTopic } from '@sluice/contracts';

/** The owner that a message on the disk counts for: a source, or all clients of a route without a key together. */
export type Holder = string;

/** Begin of a row: the gateway's own columns come first, and the source before all others. */
const beforeSource = '{"source_id":"';
const headLength = 128;
/** Quotes of a client's text are escaped in a row. */
const byCallback = '"reported_by":["callback"]';

/**
 * The holder of a message, by what is on the disk. The source that a callback or an ad request names says nothing: they
 * come without its key. Messages without a row share one holder.
 */
export function findHolder(topic: string, value: string | Uint8Array): Holder {
  if (topic === adRequestTopic.name) return 'ad requests';
  const isInteraction = topic === interactionTopic.name;
  const row = typeof value === 'string' ? value : decodeStart(value, isInteraction ? value.length : headLength);
  if (isInteraction && row.includes(byCallback)) return 'push callbacks';
  return row.startsWith(beforeSource) ? row.slice(beforeSource.length, row.indexOf('"', beforeSource.length)) : '';
}

const decodeStart = (value: Uint8Array, length: number): string =>
  Buffer.from(value.buffer, value.byteOffset, Math.min(length, value.length)).toString('latin1');
