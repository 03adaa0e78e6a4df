import { endOfTimes } from '@sluice/contracts';
import { type Problem } from '@sluice/messages';

type Header = string | string[] | undefined;

/** Whether a `Prefer` header asks for `handling=lenient`. */
export const isLenient = (prefer: Header): boolean => readPreference(prefer, 'handling')?.toLowerCase() === 'lenient';

/** The time at which a client sent its request, by its own clock: docs/api.md#time-of-sending. */
export interface TimeOfSending {
  /** ISO 8601, UTC; undefined if the client does not say it. */
  readonly sentAt?: string;
  /** The preference, if it is ignored. */
  readonly ignored?: Problem;
}

const wholeNumber = /^-?\d{1,15}$/;
const notTime = { field: 'Prefer', message: 'sent-at must be a whole number of milliseconds since 1970' };

/** Reads `sent-at=<milliseconds since 1970>` of a `Prefer` header. A clock outside of the times that are taken says nothing. */
export function timeOfSending(prefer: Header): TimeOfSending {
  const text = readPreference(prefer, 'sent-at');
  if (text === undefined) return {};
  if (!wholeNumber.test(text)) return { ignored: notTime };
  const time = Number(text);
  return time >= 0 && time < endOfTimes ? { sentAt: new Date(time).toISOString() } : {};
}

/**
 * Value of a preference; undefined without it. The first one of a name counts (RFC 7240). Parsed without a regular
 * expression, which would take quadratic time.
 */
function readPreference(prefer: Header, preferenceName: string): string | undefined {
  if (prefer === undefined) return undefined;
  for (const preference of [prefer].flat().join(',').split(',')) {
    const [name = '', value = ''] = (preference.split(';', 1)[0] ?? '').split('=', 2);
    if (name.trim().toLowerCase() === preferenceName) return removeQuotes(value.trim());
  }
  return undefined;
}

const removeQuotes = (value: string): string =>
  value.length > 1 && value.startsWith('"') && value.endsWith('"') ? value.slice(1, -1) : value;
