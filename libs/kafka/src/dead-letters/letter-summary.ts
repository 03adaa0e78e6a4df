import { type DeadLetter, type LetterOrigin } from './dead-letter.js';

const maxKeyLength = 300;
const maxReasonLength = 2_000;
const messageIdPattern = /"message_id"\s*:\s*"([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})"/;

/** A letter without its message: what lists show, small enough to be kept for each of many letters. */
export interface LetterSummary extends LetterOrigin {
  readonly id: string;
  /** At most 2,000 characters. */
  readonly reason: string;
  readonly refusedAt: number;
  /** At most 300 characters. */
  readonly key: string | null;
  readonly bytes: number;
  readonly missingBytes: number;
  /** The id of its row; null when it has none. */
  readonly messageId: string | null;
}

export function summarizeLetter(letter: DeadLetter): LetterSummary {
  const { id, topic, partition, offset, timestamp, reason, refusedAt, key, value, damage } = letter;
  return {
    ...{ id, topic, partition, offset, timestamp, refusedAt },
    reason: copyText(reason.slice(0, maxReasonLength)),
    key: key === null ? null : copyText(key.toString().slice(0, maxKeyLength)),
    bytes: value?.length ?? 0,
    missingBytes: damage?.missingBytes ?? 0,
    messageId: readMessageId(value),
  };
}

function readMessageId(value: Buffer | null): string | null {
  const [, id] = messageIdPattern.exec(value?.toString() ?? '') ?? [];
  return id === undefined ? null : copyText(id);
}

/** A part of a text keeps the whole text in memory, in V8; a copy does not. */
const copyText = (text: string): string => Buffer.from(text).toString();

type LetterSortKey = Pick<LetterSummary, 'refusedAt' | 'id'>;

/** Order of lists: the newest first. Of one moment, the message that came later is first: its id has the higher offset. */
export const compareLetters = (first: LetterSortKey, second: LetterSortKey): number =>
  second.refusedAt - first.refusedAt || compareIds(second.id, first.id);

/** A longer id of one partition has the higher offset. */
function compareIds(first: string, second: string): number {
  if (first === second) return 0;
  return first.length - second.length || (first < second ? -1 : 1);
}
