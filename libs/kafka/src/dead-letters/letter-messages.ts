import { header } from '@sluice/contracts';
import { type TopicPartition, type Rejection } from '../protocol/block.js';
import { deadLetterHeader, letterId } from './dead-letter.js';
import { appendHeaders, encodeHeaders, type SizedMessage } from '@sluice/kafkajs';
import { encodeBody } from './letter-body.js';
import { readEncodedHeaders, headerText } from '../protocol/message-parts.js';

/** A message for a dead-letter topic. */
export interface LetterMessage extends SizedMessage {
  /** Partition of the letter's message; selects the partition of the letter. */
  readonly origin: number;
  readonly encodedHeaders: Buffer;
}

/** Bytes of the head of a record batch. */
const batchBytes = 61;
/** Upper bound of the bytes of a record in addition to key, value and headers. */
const recordBytes = 32;
const maxReasonLength = 1_000;
const maxRequestIdLength = 100;
/** Minimum bytes of a part: a smaller one would be nearly all headers. */
const minPart = 64;

/** Upper bound of the bytes of the message in a batch of its own. */
export const countBytesAlone = (message: LetterMessage): number => batchBytes + countBytes(message);

/** Upper bound of the bytes that the message adds to a batch. */
export const countBytes = ({ key, value, encodedHeaders }: LetterMessage): number =>
  recordBytes + (key?.length ?? 0) + (value?.length ?? 0) + encodedHeaders.length;

/** The letter as one message: key, value and headers unchanged, followed by the headers of a dead letter. */
export function wholeLetter({ topic, partition }: TopicPartition, { message, reason }: Rejection): LetterMessage {
  const encodedHeaders = appendHeaders(readEncodedHeaders(message), {
    [deadLetterHeader.reason]: reason.slice(0, maxReasonLength),
    [deadLetterHeader.topic]: topic,
    [deadLetterHeader.partition]: String(partition),
    [deadLetterHeader.offset]: message.offset,
    [deadLetterHeader.timestamp]: message.timestamp,
  });
  return { key: message.key, value: message.value, encodedHeaders, origin: partition };
}

/** The letter cut into messages of at most `maxBytes` each, from the beginning; readers join them again. */
export function* letterParts(place: TopicPartition, rejection: Rejection, maxBytes: number): Generator<LetterMessage> {
  const { message, reason } = rejection;
  const { key, value, offset, timestamp } = message;
  const body = encodeBody({ key, value, encodedHeaders: readEncodedHeaders(message) });
  const requestId = headerText(message, header.requestId);
  const headers = {
    // `events find` looks for it.
    ...(requestId && requestId.length <= maxRequestIdLength && { [header.requestId]: requestId }),
    // Less than a quarter of the part: a UTF-16 unit takes up to three bytes in UTF-8.
    [deadLetterHeader.reason]: reason.slice(0, Math.min(maxReasonLength, maxBytes >> 4)),
    [deadLetterHeader.partOf]: letterId({ ...place, offset, timestamp: Number(timestamp) }),
  };
  const partAt = (from: number, to: number): LetterMessage => {
    const encodedHeaders = encodeHeaders({ ...headers, [deadLetterHeader.part]: `${from}-${to}/${body.length}` });
    return { key: null, value: body.subarray(from, to), encodedHeaders, origin: place.partition };
  };
  const room = maxBytes - countBytesAlone({ ...partAt(body.length, body.length), value: null });
  const size = Math.max(minPart, room);
  for (let from = 0; from < body.length; from += size) yield partAt(from, Math.min(from + size, body.length));
}
