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
  const row =
    typeof value === 'string' ? value : Buffer.from(value.buffer, value.byteOffset, value.length).toString('latin1');
  if (topic === interactionTopic.name && row.includes(byCallback)) return 'push callbacks';
  return source.exec(row.slice(0, headLength))?.[1] ?? '';
}
