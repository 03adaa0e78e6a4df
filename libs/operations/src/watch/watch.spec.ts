import { expect, it } from 'vitest';
import { type EventChange, changeKey, foldHour, hourMs } from './changes.js';
import {
  type GeneratedChange,
  generateHours,
  type GeneratedWorld,
  makeRandom,
} from './generated-hours.spec-support.js';
import { watchShares } from './generated-shares.spec-support.js';
import { type EventSeries, hoursPerWeek, neededHours, weeksBefore } from './series.js';
import { judgeEvents, seriesKey } from './judge-events.js';

/** Sources with 90 days each; `npm run test:long` has 50. */
const sources = Number(process.env['WATCH_SOURCES'] ?? 12);
const world: GeneratedWorld = { days: 90, sources, events: 200, seed: 7, holiday: 60, growth: 1.02 };
const firstHour = weeksBefore * 7 * 24 + 2;
/** A run begins three minutes after the hour that it judges. */
const runDelay = 3 / 60;
const maxFellHours = 6;
const maxStoppedHours = 2;
/** Messages of an hour with which a change is found in that time; with fewer it is found later. */
const minMessages = { stopped: 30, fell: 100 };

const random = makeRandom(11);
/** The hour of a change: not on the holiday, on which all events fall. */
const anyHour = (): number => (random() < 0.5 ? 30 + 28 * random() : 62 + 26 * random()) * 24;
const changes = Array.from({ length: world.sources }, (_, source): GeneratedChange[] => [
  { source, event: 1, hour: anyHour(), share: 0 },
  { source, event: 3, hour: anyHour(), share: 1 / 3 },
]).flat();

const generated = generateHours(world, changes);
const { alarms, unknownShare } = watchHours(generated);
const shareAlarms = watchShares(generated, firstHour, 13);
const sourceName = (source: number): string => `Source${String(source).padStart(6, '0')}`;
const isAbout = ({ source, event }: GeneratedChange, alarm: { source: string; event: string }): boolean =>
  alarm.source === sourceName(source) && alarm.event === `event_${event}`;

/** Judges each hour with what was known then. */
function watchHours(series: readonly (EventSeries & { totals: Float64Array })[]) {
  let open = new Map<string, EventChange>();
  const opened: EventChange[] = [];
  let [judged, unknown] = [0, 0];
  for (let hour = firstHour; hour < world.days * 24; hour++) {
    const known = series.map(({ source, event, totals }) => ({
      source,
      event,
      totals: totals.subarray(Math.max(0, hour + 1 - neededHours), hour + 2),
    }));
    const judgement = judgeEvents(known);
    judged += series.length;
    unknown += judgement.unknown.size;
    const well = new Set(
      [...open].flatMap(([key, change]) => (judgement.well.has(seriesKey(change.source, change.event)) ? key : [])),
    );
    const outcome = foldHour(open, judgement.findings, well, (hour + 1) * hourMs);
    opened.push(...outcome.opened);
    open = new Map(
      [
        ...open,
        ...[...outcome.opened, ...outcome.updated].map((change) => [changeKey(change), change] as const),
      ].filter(([, { ended }]) => ended === null),
    );
  }
  return { alarms: opened, unknownShare: unknown / judged };
}

/** Hours from the change to the run that finds it. */
function hoursUntilFound(change: GeneratedChange): number {
  const alarm = alarms.find((candidate) => isAbout(change, candidate) && candidate.found > change.hour * hourMs);
  return alarm ? alarm.found / hourMs + runDelay - change.hour : Infinity;
}

/** Changes that can be known: of an event with enough messages in those hours, and without noise that hides them. */
const knownChanges = changes.filter((change) => {
  const series = generated.find((candidate) => isAbout(change, candidate));
  if (!series || series.isRestless) return false;
  const [hours, min] = change.share === 0 ? [maxStoppedHours, minMessages.stopped] : [maxFellHours, minMessages.fell];
  const weekBefore = Math.floor(change.hour) - hoursPerWeek;
  const counts = Array.from({ length: hours }, (_, hour) => series.hours[weekBefore + hour] ?? 0);
  return Math.min(...counts) >= min;
});

it('finds an event that was removed within two hours', () => {
  const removed = knownChanges.filter(({ share }) => share === 0);
  expect(removed.length).toBeGreaterThan(sources * 0.6);
  expect(removed.filter((change) => hoursUntilFound(change) > maxStoppedHours)).toEqual([]);
});

it('finds an event that fell to a third within six hours', () => {
  const fallen = knownChanges.filter(({ share }) => share > 0);
  expect(fallen.length).toBeGreaterThan(sources * 0.5);
  expect(fallen.filter((change) => hoursUntilFound(change) > maxFellHours)).toEqual([]);
});

it('raises at most two false alarms of all kinds for a source in 90 days, with a holiday', () => {
  const eventAlarms = alarms.filter((alarm) => !changes.some((change) => isAbout(change, alarm)));
  const falseAlarms = [...eventAlarms, ...shareAlarms];
  const perSource = [...Map.groupBy(falseAlarms, ({ source }) => source).values()].map(({ length }) => length);
  expect(Math.max(0, ...perSource)).toBeLessThanOrEqual(2);
});

it.runIf(sources >= 50)('generates shares that are restless enough to be found at times', () => {
  expect(shareAlarms.length).toBeGreaterThan(0);
});

it('says of few events only that it does not know', () => {
  expect(unknownShare).toBeLessThan(0.05);
});
