export type Kind = 'track' | 'identify';

/** A batch without its messages. It belongs to a host and source and is sent with that source's current API key. */
export interface Batch {
  /** The Idempotency-Key. */
  readonly key: string;
  readonly host: string;
  readonly sourceIdentifier: string;
  readonly kind: Kind;
  readonly created: number;
  count: number;
  /** Size of the request body in UTF-8 bytes. */
  bytes: number;
  sealed: boolean;
  tries: number;
  /** Tries for which it is unknown whether the service stored the messages. */
  doubts: number;
  /** Number of 413 answers while a try was in doubt. */
  tooLarge: number;
  /** Times by the device's clock; 0 means never. */
  firstTry: number;
  lastTry: number;
  nextTry: number;
}

const [opening, closing] = ['{"list":[', ']}'];
const frameBytes = opening.length + closing.length;

/** The request body. Its bytes never change, because the service identifies a message by its bytes and position. */
export const bodyOf = (texts: readonly string[]): string => opening + texts.join(',') + closing;

/**
 * Key of a batch made of another batch's messages from `index` on. The key is derived, not random: all clients that
 * take the same messages out of the same batch use the same key, so the messages are stored once.
 */
export const derivedKey = (key: string, index: number): string => `${key}.${index}`;

type Origin = Pick<Batch, 'key' | 'host' | 'sourceIdentifier' | 'kind' | 'created'>;

export const newBatch = ({ key, host, sourceIdentifier, kind, created }: Origin): Batch => ({
  key,
  host,
  sourceIdentifier,
  kind,
  created,
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

/** Size of well-formed text in UTF-8 bytes. */
export function utf8Bytes(text: string): number {
  let bytes = text.length;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    // A surrogate pair has two units and four bytes.
    if (unit > 0x7f) bytes += unit > 0x7ff && (unit < 0xd800 || unit > 0xdfff) ? 2 : 1;
  }
  return bytes;
}

/** Sets count and size of a batch whose messages were not added one by one. */
export function measure(batch: Batch, texts: readonly string[]): void {
  batch.count = texts.length;
  batch.bytes = utf8Bytes(bodyOf(texts));
}
