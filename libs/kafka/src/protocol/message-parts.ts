import { type StoredMessage } from './block.js';
import { encodeHeaders, FetchedRecord } from '@sluice/kafkajs';

/** `headers[name]` as text, empty for null, without decoding all headers of a fetched message. The name is ASCII. */
export function headerText(message: StoredMessage, name: string): string | undefined {
  const value = message instanceof FetchedRecord ? message.header(name) : message.headers?.[name];
  return value === null ? '' : value?.toString();
}

/** Length of the value in bytes, without making a view of it; 0 for null. */
export function valueLength(message: StoredMessage): number {
  return message instanceof FetchedRecord ? message.valueLength : (message.value?.length ?? 0);
}

/** The headers as a record holds them; those of a fetched message byte for byte. */
export function readEncodedHeaders(message: Pick<StoredMessage, 'headers'>): Buffer {
  return message instanceof FetchedRecord ? message.encodedHeaders : encodeHeaders(message.headers ?? {});
}
