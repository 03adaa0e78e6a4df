import { type DeadLetter } from '@sluice/kafka';
import Table from 'cli-table3';
import { borderless } from '../table.js';
import { fields, shortTime } from '../sources/source-text.js';

/** A dead letter as it is listed. */
export interface LetterView {
  id: string;
  refusedAt: string;
  reason: string;
  key: string | null;
  bytes: number;
}

/** A dead letter with all that was in the message. */
export interface WholeLetterView extends LetterView {
  /** When Kafka took the message. */
  takenAt: string;
  headers: Record<string, string>;
  /** As text; as base64 in `valueBase64` when it is none. */
  value?: string | null;
  valueBase64?: string;
}

export const viewLetter = ({ id, refusedAt, reason, key, value }: DeadLetter): LetterView => ({
  id,
  refusedAt: new Date(refusedAt).toISOString(),
  reason,
  key: key?.toString() ?? null,
  bytes: value?.length ?? 0,
});

export function viewWholeLetter(letter: DeadLetter): WholeLetterView {
  const headers = Object.entries(letter.headers).map(([name, value]) => [name, String(value)] as const);
  return {
    ...viewLetter(letter),
    takenAt: new Date(letter.timestamp).toISOString(),
    headers: Object.fromEntries(headers),
    ...viewValue(letter.value),
  };
}

function viewValue(value: Buffer | null): Pick<WholeLetterView, 'value' | 'valueBase64'> {
  const text = value?.toString() ?? null;
  const isText = value === null || Buffer.from(text ?? '').equals(value);
  return isText ? { value: text } : { valueBase64: value.toString('base64') };
}

export function listLetters(letters: readonly LetterView[]): string {
  if (letters.length === 0) return 'There are no dead letters.';
  const table = new Table({ head: ['REFUSED', 'LETTER', 'BYTES', 'REASON'], ...borderless });
  for (const { refusedAt, id, bytes, reason } of letters) {
    table.push([shortTime(refusedAt), id, String(bytes), onOneLine(reason)]);
  }
  return table.toString().replace(/ +$/gm, '');
}

export const describeLetter = ({ id, reason, key, takenAt, refusedAt, ...letter }: WholeLetterView): string =>
  fields(
    ['letter', id],
    ['reason', onOneLine(reason)],
    ['taken', shortTime(takenAt)],
    ['refused', shortTime(refusedAt)],
    ['key', onOneLine(key ?? '(none)')],
    ...Object.entries(letter.headers).map(([name, value]) => [`header ${name}`, onOneLine(value)] as const),
    ['value', onOneLine(letter.value ?? letter.valueBase64 ?? '(none)')],
  );

/** What others wrote must not act on the terminal. */
const onOneLine = (text: string): string => text.replace(/\p{Cc}/gu, ' ');
