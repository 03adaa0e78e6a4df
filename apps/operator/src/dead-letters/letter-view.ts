import { type DeadLetter, type LetterDamage } from '@sluice/kafka';
import { formatFields, formatGrid, toOneLine, formatTime } from '../terminal-text.js';

/** Max number of printed headers. */
const maxHeaders = 200;

/** A dead letter in a list. */
export interface ListedLetter {
  id: string;
  refusedAt: string;
  reason: string;
  key: string | null;
  bytes: number;
  /** Set when parts of the letter are missing; key and value are unknown then. */
  damage?: LetterDamage;
}

type HeaderView = string | null | (string | null)[];

/** A dead letter with its whole message. */
export interface WholeLetterView extends ListedLetter {
  /** Time at which Kafka took the message. */
  takenAt: string;
  headers: Record<string, HeaderView>;
  /** The value if it is text; other values are in `valueBase64`. */
  value?: string | null;
  valueBase64?: string;
}

export const viewLetter = ({ id, refusedAt, reason, key, value, damage }: DeadLetter): ListedLetter => ({
  id,
  refusedAt: new Date(refusedAt).toISOString(),
  reason,
  key: key?.toString() ?? null,
  bytes: value?.length ?? 0,
  ...(damage && { damage }),
});

export function viewWholeLetter(letter: DeadLetter): WholeLetterView {
  const headers = Object.entries(letter.headers).map(([name, value]) => [name, viewHeader(value)] as const);
  return {
    ...viewLetter(letter),
    takenAt: new Date(letter.timestamp).toISOString(),
    headers: Object.fromEntries(headers),
    ...viewValue(letter.value),
  };
}

const viewHeader = (value: DeadLetter['headers'][string] | null): HeaderView =>
  Array.isArray(value) ? value.map((part: Buffer | string | null) => decodeText(part)) : decodeText(value ?? null);

const decodeText = (value: Buffer | string | null): string | null => value?.toString() ?? null;

function viewValue(value: Buffer | null): Pick<WholeLetterView, 'value' | 'valueBase64'> {
  const text = value?.toString() ?? null;
  const isText = value === null || Buffer.from(text ?? '').equals(value);
  return isText ? { value: text } : { valueBase64: value.toString('base64') };
}

export function listLetters(letters: readonly ListedLetter[]): string {
  if (letters.length === 0) return 'There are no dead letters.';
  const rows = letters.map(({ refusedAt, id, bytes, reason, damage }) => {
    const size = damage ? `damaged, ${describeMissing(damage)}` : String(bytes);
    return [formatTime(refusedAt), id, size, toOneLine(reason)];
  });
  return formatGrid(['REFUSED', 'LETTER', 'BYTES', 'REASON'], rows);
}

export function describeLetter({ id, reason, key, takenAt, refusedAt, damage, ...letter }: WholeLetterView): string {
  const headerFields = Object.entries(letter.headers).flatMap(([name, values]) =>
    [values].flat().map((value) => [`header ${toOneLine(name)}`, toOneLine(value ?? '(none)')] as const),
  );
  const unlistedCount = headerFields.length - maxHeaders;
  const notice = unlistedCount > 0 ? [['headers', `${unlistedCount} more; --json shows them`] as const] : [];
  const headers = [...headerFields.slice(0, maxHeaders), ...notice];
  return formatFields(
    ['letter', id],
    ['reason', toOneLine(reason)],
    ['taken', formatTime(takenAt)],
    ['refused', formatTime(refusedAt)],
    ...(damage
      ? [['damaged', `${describeMissing(damage)}: retention took them, or they are being written`] as const]
      : [
          ['key', toOneLine(key ?? '(none)')] as const,
          ...headers,
          ['value', toOneLine(letter.value ?? letter.valueBase64 ?? '(none)')] as const,
        ]),
  );
}

const describeMissing = ({ missingBytes, allBytes }: LetterDamage): string =>
  `${missingBytes} of ${allBytes} bytes are missing`;
