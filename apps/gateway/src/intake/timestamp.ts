// The rule for what a client may send is the DTO's (`IsDateTime`); here it is only taken apart.
const parts = /^(\d{4})-(\d\d)-(\d\d)[Tt ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?(?:[Zz]|([+-])(\d\d):?(\d\d)?)?$/;

/** An ISO 8601 date-time as UTC in milliseconds, `2026-01-31T12:00:00.000Z`. Without an offset it is taken as UTC. */
export function toUtc(dateTime: string): string {
  const [, year, month, day, hour, minute, second, fraction = '', sign, offsetHours, offsetMinutes] =
    parts.exec(dateTime) ?? [];
  const local = Date.UTC(
    Number(year),
    Number(month) - 1,
    Number(day),
    Number(hour),
    Number(minute),
    Number(second ?? 0),
    Number(fraction.padEnd(3, '0').slice(0, 3)),
  );
  const offset = (Number(offsetHours ?? 0) * 60 + Number(offsetMinutes ?? 0)) * 60_000;
  return new Date(sign === '-' ? local + offset : local - offset).toISOString();
}
