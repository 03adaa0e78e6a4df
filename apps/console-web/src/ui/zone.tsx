import { createContext, type ReactNode, useContext, useEffect, useState } from 'react';
import { serverNow } from '../data/clock';
import { dayLocale } from '../data/locale';

/** Zone of all times on the page. */
export type Zone = 'utc' | 'local';

const ZoneContext = createContext<Zone>('utc');

export const ZoneProvider = ({ zone, children }: { zone: Zone; children: ReactNode }) => (
  <ZoneContext value={zone}>{children}</ZoneContext>
);

export const useZone = (): Zone => useContext(ZoneContext);

/** Name of the zone as `Intl` takes it. */
export const zoneName = (zone: Zone): string =>
  zone === 'utc' ? 'UTC' : Intl.DateTimeFormat().resolvedOptions().timeZone;

const formats = new Map<string, Intl.DateTimeFormat>();

function findFormat(key: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const cachedFormat = formats.get(key);
  if (cachedFormat) return cachedFormat;
  const format = new Intl.DateTimeFormat(dayLocale, { hourCycle: 'h23', ...options });
  formats.set(key, format);
  return format;
}

/** `2026-11-23 14:03:07.412 UTC` */
export function fullTime(at: string | number, zone: Zone): string {
  const time = new Date(at);
  const [day, clock] = [formatDay(time, zone), formatClock(time, zone)];
  return `${day} ${clock} ${zone === 'utc' ? 'UTC' : shortZone(time)}`;
}

const formatDay = (time: Date, zone: Zone): string =>
  findFormat(`day ${zone}`, { timeZone: zoneName(zone), year: 'numeric', month: '2-digit', day: '2-digit' }).format(
    time,
  );

/** Lengths of a time of day, by its smallest part. */
const clockLengths = { minutes: '14:03'.length, seconds: '14:03:07'.length, millis: '14:03:07.412'.length };

/** `14:03:07.412`, or the start of it. */
const formatClock = (time: Date, zone: Zone, precision: keyof typeof clockLengths = 'millis'): string =>
  findFormat(`clock ${zone}`, {
    timeZone: zoneName(zone),
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    fractionalSecondDigits: 3,
  })
    .format(time)
    .slice(0, clockLengths[precision]);

const shortZone = (time: Date): string =>
  findFormat('zone', { timeZoneName: 'short' })
    .formatToParts(time)
    .find(({ type }) => type === 'timeZoneName')?.value ?? 'local';

/** `14:03`, or the day where a day begins: for the axis of a chart. */
export function tickTime(at: number, zone: Zone): string {
  const time = new Date(at);
  const clock = formatClock(time, zone, 'minutes');
  return clock === '00:00' ? formatDay(time, zone).slice('2026-'.length) : clock;
}

/** Time of day, with the day before it where that is not today. */
export function shortTime(at: string, zone: Zone, millis: boolean): string {
  const time = new Date(at);
  const clock = formatClock(time, zone, millis ? 'millis' : 'seconds');
  const day = formatDay(time, zone);
  return day === formatDay(new Date(serverNow()), zone) ? clock : `${day} ${clock}`;
}

/** The time as `<input type="datetime-local">` takes it: `2026-11-23T14:03:07`. */
export function toDateTimeInput(at: string, zone: Zone): string {
  const time = new Date(at);
  return `${formatDay(time, zone)}T${formatClock(time, zone, 'seconds')}`;
}

/** The time of such an input, ISO 8601. */
export const fromDateTimeInput = (text: string, zone: Zone): string =>
  new Date(zone === 'utc' ? `${text}Z` : text).toISOString();

interface TimeProps {
  /** ISO 8601; undefined or null shows as unknown. */
  at: string | null | undefined;
  millis?: boolean;
}

export function Time({ at, millis = false }: TimeProps) {
  const zone = useZone();
  if (!at) return <Unknown />;
  return (
    <time dateTime={at} title={fullTime(at, zone)}>
      {shortTime(at, zone, millis)}
    </time>
  );
}

/** How long ago, kept current; the full time on hover. */
export function Age({ at }: { at: string | null | undefined }) {
  const zone = useZone();
  const now = useNow();
  if (!at) return <Unknown />;
  return (
    <time dateTime={at} title={fullTime(at, zone)}>
      {ageText((now - Date.parse(at)) / 1000)}
    </time>
  );
}

/** The current time of the server, updated each second. */
export function useNow(): number {
  const [now, setNow] = useState(serverNow);
  useEffect(() => {
    const timer = setInterval(() => setNow(serverNow()), 1000);
    return () => clearInterval(timer);
  }, []);
  return now;
}

const ageText = (seconds: number): string => (seconds < 1 ? 'just now' : `${durationText(seconds)} ago`);

/** `850 ms`, `12 s`, `4 min`, `3 h`, `2 d` */
export function durationText(seconds: number): string {
  if (seconds < 1) return `${Math.round(seconds * 1000)} ms`;
  if (seconds < 90) return `${Math.round(seconds)} s`;
  if (seconds < 5400) return `${Math.round(seconds / 60)} min`;
  if (seconds < 172_800) return `${Math.round(seconds / 3600)} h`;
  return `${Math.round(seconds / 86_400)} d`;
}

/** Something that nobody knows, which is not zero. */
export const Unknown = () => (
  <span className="soft" title="unknown">
    –
  </span>
);
