/** Differences of clocks, milliseconds, that need no correction: `Date` headers have whole seconds. */
const toleratedMs = 5_000;

/** The server's clock minus this one, milliseconds; 0 while they agree. */
let differenceMs = 0;

/** Learns the time of the server from the header `Date` of an answer that has just come. */
export function learnServerTime(header: string | null): void {
  const time = Date.parse(header ?? '');
  if (Number.isNaN(time)) return;
  const difference = time - Date.now();
  differenceMs = Math.abs(difference) < toleratedMs ? 0 : difference;
}

/** Time of the server that this clock's time is, milliseconds since 1970: every time on a page is the server's. */
export const toServerTime = (time: number): number => time + differenceMs;

/** Time of the server now: a wrong or changed clock of the browser makes no age wrong. */
export const serverNow = (): number => toServerTime(Date.now());

/** A moment by two clocks: that of the day goes on while a laptop sleeps, and may be set; the other is never set. */
export interface Moment {
  readonly day: number;
  readonly steady: number;
}

export const thisMoment = (): Moment => ({ day: Date.now(), steady: performance.now() });

/** Milliseconds since a moment, by the clock that says more. */
export const measureSince = ({ day, steady }: Moment): number => Math.max(Date.now() - day, performance.now() - steady);
