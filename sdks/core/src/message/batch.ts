import { type Message } from './message.js';

/** Registrations of devices are track messages in batches of their own: the service counts them as people. */
export type BatchKind = Message['type'] | 'device';

/** A batch without its messages. It belongs to a host and source and is sent with that source's current API key. */
export interface Batch {
  /** The Idempotency-Key. */
  readonly key: string;
  readonly host: string;
  readonly sourceIdentifier: string;
  readonly kind: BatchKind;
  readonly created: number;
  count: number;
  /** Size of the request body in UTF-8 bytes. */
  bytes: number;
  sealed: boolean;
  tries: number;
  /** Tries for which it is unknown whether the service stored the messages. */
  doubts: number;
  /** Number of 413 answers after which the batch was kept whole. */
  tooLarge: number;
  /** Time of the first try by the service's clock; 0 while it is unknown. */
  firstTry: number;
  /** Times by the device's clock; 0 means never. */
  lastTry: number;
  nextTry: number;
}

/** The request body. Its bytes never change, because the service identifies a message by its bytes and position. */
export const batchBody = (texts: readonly string[]): string => `{"list":[${texts.join(',')}]}`;

const frameBytes = batchBody([]).length;

/**
 * Key of a batch made of another batch's messages from `index` on. The key is derived, not random: all clients that
 * take the same messages out of the same batch use the same key, so the messages are stored once.
 */
export const deriveKey = (key: string, index: number): string => `${key}.${index}`;

/** Oldest first. */
export const compareByAge = (first: Batch, second: Batch): number => first.created - second.created;

type Origin = Pick<Batch, 'key' | 'host' | 'sourceIdentifier' | 'kind' | 'created'>;

/** An open batch without messages. */
export const newBatch = (origin: Origin): Batch => ({
  ...origin,
  count: 0,
  bytes: frameBytes,
  sealed: false,
  tries: 0,
  doubts: 0,
  tooLarge: 0,
  firstTry: 0,
  lastTry: 0,
  nextTry: 0,
});

/** A sealed batch of these messages. */
export const sealedBatch = (origin: Origin, texts: readonly string[]): Batch => ({
  ...newBatch(origin),
  ...makeSealedFields(texts),
});

/** The two batches that take the place of one that is too large. */
export const splitBatch = (batch: Batch, texts: readonly string[]): { batch: Batch; texts: string[] }[] => {
  const half = Math.ceil(texts.length / 2);
  return [0, half].map((start) => {
    const part = texts.slice(start, start + half);
    return { batch: sealedBatch({ ...batch, key: deriveKey(batch.key, start) }, part), texts: part };
  });
};

/** Count and size of a batch whose messages were not added one by one. */
export const makeSealedFields = (texts: readonly string[]): Pick<Batch, 'sealed' | 'count' | 'bytes'> => ({
  sealed: true,
  count: texts.length,
  bytes: utf8Bytes(batchBody(texts)),
});

/** Size of well-formed text in UTF-8 bytes. Counted here, because older Hermes has no TextEncoder. */
export const utf8Bytes = (text: string): number =>
  text.replace(/[\x80-\u07ff\ud800-\udfff]/g, '12').replace(/[^\0-\x7f]/g, '123').length;
