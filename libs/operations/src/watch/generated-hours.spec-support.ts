import { addUpHours, type EventSeries } from './series.js';

/** A generator of numbers whose seed says all of them. */
export function makeRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

export interface GeneratedWorld {
  readonly days: number;
  readonly sources: number;
  readonly events: number;
  readonly seed: number;
  /** Day on which people are at home: each event falls by its own part. */
  readonly holiday: number;
  /** Growth of a week. */
  readonly growth: number;
}

/** Something that is done to one event: from an hour on, its messages are this part of what they would be. */
export interface GeneratedChange {
  readonly source: number;
  readonly event: number;
  /** Hours since the beginning, with a fraction for a change within an hour. */
  readonly hour: number;
  readonly share: number;
}

export interface GeneratedSeries extends EventSeries {
  readonly totals: Float64Array;
  readonly hours: Uint32Array;
  /** Messages of a middle hour. */
  readonly rate: number;
  /** Whether its hours differ by a quarter for no reason. */
  readonly isRestless: boolean;
}

/** Generates the hours of all events: a weekly rhythm, nights, a holiday, growth, noise of sources and of events. */
export function generateHours(world: GeneratedWorld, changes: readonly GeneratedChange[] = []): GeneratedSeries[] {
  const random = makeRandom(world.seed);
  const length = world.days * 24;
  const all: GeneratedSeries[] = [];
  for (let source = 0; source < world.sources; source++) {
    const rhythm = makeRhythm(random, length, world);
    const size = 10 ** (1 + 2.5 * random());
    for (let event = 0; event < world.events; event++) {
      // A few events are frequent and most are rare.
      const rate = (size * 20) / (event + 1) ** 1.1;
      const ownChanges = changes.filter((change) => change.source === source && change.event === event);
      const generated = generateEvent(random, { rhythm, rate, changes: ownChanges, world });
      all.push({ source: `Source${String(source).padStart(6, '0')}`, event: `event_${event}`, rate, ...generated });
    }
  }
  return all;
}

/** The rhythm of a source: of each hour, its part of a middle hour. */
function makeRhythm(random: () => number, length: number, { growth }: GeneratedWorld): Float64Array {
  const rhythm = new Float64Array(length);
  const peak = 12 + 8 * random();
  const depth = 0.5 + 0.45 * random();
  const weekend = 0.3 + 1.1 * random();
  let noise = 0;
  for (let hour = 0; hour < length; hour++) {
    noise = 0.9 * noise + 0.05 * makeNormal(random);
    const day = Math.floor(hour / 24) % 7;
    const daily = 1 + depth * Math.cos(((hour - peak) / 24) * 2 * Math.PI);
    rhythm[hour] = daily * (day >= 5 ? weekend : 1) * growth ** (hour / 168) * Math.exp(noise);
  }
  return rhythm;
}

interface EventParts {
  readonly rhythm: Float64Array;
  readonly rate: number;
  readonly changes: readonly GeneratedChange[];
  readonly world: GeneratedWorld;
}

function generateEvent(
  random: () => number,
  { rhythm, rate, changes, world }: EventParts,
): Pick<GeneratedSeries, 'hours' | 'totals' | 'isRestless'> {
  const hours = new Uint32Array(rhythm.length);
  const isRestless = random() < 0.1;
  const step = isRestless ? 0.15 : 0.036;
  const onHoliday = 0.25 + 0.4 * random();
  let noise = 0;
  for (let hour = 0; hour < hours.length; hour++) {
    noise = 0.8 * noise + step * makeNormal(random);
    const holiday = Math.floor(hour / 24) === world.holiday ? onHoliday : 1;
    const share = changes.reduce((product, change) => product * shareInHour(change, hour), 1);
    hours[hour] = drawPoisson(random, rate * (rhythm[hour] ?? 0) * holiday * share * Math.exp(noise));
  }
  return { hours, totals: addUpHours(hours), isRestless };
}

/** The part that is left in an hour: the hour in which the change comes has some from before it. */
function shareInHour({ hour: start, share }: GeneratedChange, hour: number): number {
  const before = Math.min(1, Math.max(0, start - hour));
  return before + (1 - before) * share;
}

export function makeNormal(random: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

function drawPoisson(random: () => number, mean: number): number {
  if (mean > 30) return Math.max(0, Math.round(mean + Math.sqrt(mean) * makeNormal(random)));
  const limit = Math.exp(-mean);
  let [count, product] = [0, random()];
  while (product > limit) {
    count++;
    product *= random();
  }
  return count;
}
