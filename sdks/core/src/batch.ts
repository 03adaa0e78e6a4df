export type Kind = 'track' | 'identify';

/** All of a batch but its messages. It belongs to its host and source, and is sent with the present key of that source. */
export interface Batch {
  /** The Idempotency-Key. */
  readonly key: string;
  readonly host: string;
  readonly sourceIdentifier: string;
  readonly kind: Kind;
  readonly created: number;
  count: number;
  /** UTF-8 bytes of the request's body. */
  bytes: number;
  sealed: boolean;
  tries: number;
  /** Tries of which it is unknown whether the service stored the messages. */
  doubts: number;
  /** Answers 413 while a try was in doubt. */
  tooLarge: number;
  /** Times by the device's clock; 0 for never. */
  firstTry: number;
  lastTry: number;
  nextTry: number;
}

const [opening, closing] = ['{"list":[', ']}'];
const frameBytes = opening.length + closing.length;

/** The body, always the same bytes: the service knows a message by its bytes and its place. */
export const bodyOf = (texts: readonly string[]): string => opening + texts.join(',') + closing;

/**
 * The key of a batch of those messages of another that begin at `index`. Derived, and not new: whoever takes the same
 * messages out of the same batch sends them under the same key, and they are stored once.
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

/** Bytes of well-formed text in UTF-8. */
export function utf8Bytes(text: string): number {
  let bytes = text.length;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    // A surrogate pair is two units and four bytes.
    if (unit > 0x7f) bytes += unit > 0x7ff && (unit < 0xd800 || unit > 0xdfff) ? 2 : 1;
  }
  return bytes;
}

/** Sets the size of a batch of these messages, for those that were not gathered one by one. */
export function measure(batch: Batch, texts: readonly string[]): void {
  batch.count = texts.length;
  batch.bytes = utf8Bytes(bodyOf(texts));
}
