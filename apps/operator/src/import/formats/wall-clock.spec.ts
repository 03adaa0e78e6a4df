import { expect, it } from 'vitest';
import { WallClock } from './wall-clock.js';

it.each([
  ['Asia/Tehran', '2026-01-31T12:00:00Z', '2026-01-31T08:30:00.000Z'],
  ['Asia/Tehran', '2022-07-01T12:00:00.250Z', '2022-07-01T07:30:00.250Z'],
  ['America/New_York', '2026-03-08T01:59:59Z', '2026-03-08T06:59:59.000Z'],
  // The hour that is skipped, and the one that is shown twice.
  ['America/New_York', '2026-03-08T02:30:00Z', '2026-03-08T07:30:00.000Z'],
  ['America/New_York', '2026-11-01T01:30:00Z', '2026-11-01T05:30:00.000Z'],
  ['America/New_York', '2026-11-01T02:00:00Z', '2026-11-01T07:00:00.000Z'],
  ['Pacific/Kiritimati', '2026-01-01T00:00:00Z', '2025-12-31T10:00:00.000Z'],
  ['UTC', '1969-12-31T23:59:59.999Z', '1969-12-31T23:59:59.999Z'],
])('in %s, %s was %s', (zone, clockTime, utc) => {
  expect(new Date(new WallClock(zone).toUtc(Date.parse(clockTime))).toISOString()).toBe(utc);
});

it('every hour of three years comes back, except those that clocks show twice or never', () => {
  for (const zone of ['Asia/Tehran', 'Europe/Vienna', 'Australia/Lord_Howe', 'Asia/Kathmandu']) {
    const clock = new WallClock(zone);
    const format = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'medium' });
    const odd: string[] = [];
    for (let time = Date.UTC(2021, 0); time < Date.UTC(2024, 0); time += 3_600_000) {
      const clockTime = Date.parse(`${format.format(time).replace(' ', 'T')}Z`);
      if (clock.toUtc(clockTime) !== time) odd.push(new Date(time).toISOString());
    }
    // The second of two equal hours, once a year at most.
    expect(odd.length).toBeLessThanOrEqual(3);
  }
});
