// A date and a time, with or without an offset.
const dateTimePattern =
  /^(1969|19[7-9]\d|2[01]\d\d)-(\d\d)-(\d\d)[Tt ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?(?:[Zz]|([+-])(\d\d)(?::?(\d\d))?)?$/;

const isoString = /^(?:19[7-9]|2[01]\d)\d-(?:0\d|1[0-2])-[0-3]\dT(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/;

/** Whether the text is the output of `toISOString()`, as most clients send it, on a day that every month has. */
function isCommonForm(text: string): boolean {
  if (text.length !== 24 || !isoString.test(text)) return false;
  const day = Number(text.slice(8, 10));
  return day >= 1 && day <= 28 && !text.startsWith('00', 5);
}

/** The day after the last one that ClickHouse's `Date` holds, 2149-06-06: a later time would count on a day of the past. */
export const endOfTimes = Date.UTC(2149, 5, 7);

/** Whether the text is a date and time from 1970-01-01 to 2149-06-06, in UTC: docs/api.md#dates-and-times. */
export function isDateTime(text: string): boolean {
  if (isCommonForm(text) && text < '2149') return true;
  const time = parseDateTime(text);
  return time >= 0 && time < endOfTimes;
}

/**
 * Converts an ISO 8601 date and time to milliseconds since 1970 UTC; NaN for any other text. No offset means UTC,
 * whatever the machine's time zone. Digits beyond milliseconds are cut off. It also reads times that `isDateTime`
 * refuses, from 1969 to 2199, because earlier gateways took them.
 */
export function parseDateTime(text: string): number {
  // For such a text the engine's own parser is correct, and three times as fast.
  if (isCommonForm(text)) return Date.parse(text);
  const match = dateTimePattern.exec(text);
  if (!match) return NaN;
  const number = (group: number): number => Number(match[group] ?? 0);
  const [year, month, day, hour, minute, second] = [number(1), number(2), number(3), number(4), number(5), number(6)];
  const [offsetHour, offsetMinute] = [number(9), number(10)];
  if (hour > 23 || minute > 59 || second > 59 || offsetHour > 23 || offsetMinute > 59) return NaN;

  // Date.UTC rolls 30 February over into March: a result with another day means that the date does not exist.
  const midnight = new Date(Date.UTC(year, month - 1, day));
  if (midnight.getUTCMonth() !== month - 1 || midnight.getUTCDate() !== day) return NaN;

  const offset = (match[8] === '-' ? -1 : 1) * (offsetHour * 60 + offsetMinute);
  const milliseconds = Number((match[7] ?? '').padEnd(3, '0').slice(0, 3));
  return midnight.getTime() + ((hour * 60 + minute - offset) * 60 + second) * 1000 + milliseconds;
}
