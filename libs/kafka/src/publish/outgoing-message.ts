import { type IHeaders } from '@sluice/kafkajs';

/** A message for one topic. Messages with the same key keep their order. */
export interface OutgoingMessage {
  topic: string;
  key: string;
  value: string | Buffer;
  headers: IHeaders;
  /**
   * The partition that it was first meant for, set once Kafka may have taken it or it waits on a disk: a repeat in
   * another partition could be stored at the same moment as the first. Otherwise the key decides.
   */
  partition?: number | undefined;
  /** The key's bytes and murmur2, if they were needed before the send; the partition follows from the hash. */
  hashedKey?: { readonly bytes: Buffer; readonly hash: number } | undefined;
}

export const maxMessagesPerSend = 2_000;
/** About half of a topic's limit for a batch: even a send that goes to one partition stays below the limit. */
export const maxBytesPerSend = 1_000_000;
/** Upper bound of the UTF-8 bytes of one UTF-16 unit. */
const maxBytesPerUnit = 3;

/** Cuts the messages into parts that each fit into a send. A message too large for a send is a part of its own. */
export function cutIntoSends(messages: readonly OutgoingMessage[]): readonly (readonly OutgoingMessage[])[] {
  if (isSmall(messages)) return [messages];
  const parts: OutgoingMessage[][] = [];
  let part: OutgoingMessage[] = [];
  let partBytes = 0;
  for (const message of messages) {
    const bytes = Buffer.byteLength(message.value);
    if (part.length > 0 && (part.length >= maxMessagesPerSend || partBytes + bytes > maxBytesPerSend)) {
      parts.push(part);
      part = [];
      partBytes = 0;
    }
    part.push(message);
    partBytes += bytes;
  }
  return [...parts, part];
}

/** True when the messages certainly fit into one send, as most requests do. It reads no characters. */
function isSmall(messages: readonly OutgoingMessage[]): boolean {
  if (messages.length <= 1) return true;
  let units = 0;
  for (const { value } of messages) units += value.length;
  return messages.length <= maxMessagesPerSend && units * maxBytesPerUnit <= maxBytesPerSend;
}
