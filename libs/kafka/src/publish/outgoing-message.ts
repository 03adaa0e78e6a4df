import { type IHeaders } from '@sluice/kafkajs';

/** A message for one topic; messages of one key keep their order. */
export interface OutgoingMessage {
  topic: string;
  key: string;
  value: string | Buffer;
  headers: IHeaders;
}

export const maxMessagesPerSend = 2_000;
/** Half of what a topic takes in one batch, so that not even one partition's share of a send can be too large. */
export const maxBytesPerSend = 1_000_000;
/** Of UTF-8, for a unit of a string. */
const maxBytesPerUnit = 3;

/** Cut so that each part fits into a send; a message that is too large for one stands alone. */
export function partsOf(messages: readonly OutgoingMessage[]): readonly (readonly OutgoingMessage[])[] {
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

/** Most requests, without a look at every character. */
function isSmall(messages: readonly OutgoingMessage[]): boolean {
  if (messages.length <= 1) return true;
  let units = 0;
  for (const { value } of messages) units += value.length;
  return messages.length <= maxMessagesPerSend && units * maxBytesPerUnit <= maxBytesPerSend;
}
