import { type EventChange, type Finding, changeKey, foldHour, hourMs } from './changes.js';
import { type GeneratedSeries, makeNormal, makeRandom } from './generated-hours.spec-support.js';
import { judgeProperty, type PropertyHour, type PropertySeries } from './judge-properties.js';
import { judgeShare, type ShareSeries } from './judge-shares.js';
import { addUpHours, neededHours } from './series.js';

/** Events of a source whose properties and refusals are generated, the most frequent ones. */
const eventsLookedAt = { properties: 5, refusals: 1 };
/** Parts of the messages that have each property: always, nearly, often, just watched, rarely. */
const presences = [1, 0.98, 0.8, 0.56, 0.3];
/** Days and weeks before, as the watch compares them. */
const daysBefore = [1, 2, 3, 4, 5, 6, 7, 14, 21, 28];
const maxLooked = 400;

/** A part of all by the hour, that wanders around its middle, and has a single bad hour now and then. */
function generateParts(random: () => number, wholes: ArrayLike<number>, middle: number): Float64Array {
  const parts = new Float64Array(wholes.length);
  let noise = 0;
  for (let hour = 0; hour < wholes.length; hour++) {
    noise = 0.8 * noise + 0.15 * makeNormal(random);
    const share = random() < 1 / 336 ? 0.4 : Math.min(0.9, middle * Math.exp(noise));
    parts[hour] = drawPart(random, wholes[hour] ?? 0, share);
  }
  return parts;
}

function drawPart(random: () => number, whole: number, share: number): number {
  const spread = Math.sqrt(Math.max(0, whole * share * (1 - share)));
  return Math.min(whole, Math.max(0, Math.round(whole * share + spread * makeNormal(random))));
}

interface GeneratedShares {
  readonly place: Pick<ShareSeries, 'source' | 'event' | 'kind'>;
  readonly parts: Float64Array;
  readonly wholes: Float64Array;
}

/** Refusals and clocks of a source, and refusals of its events. */
function generateShares(random: () => number, series: readonly GeneratedSeries[]): GeneratedShares[] {
  const source = series[0]?.source ?? '';
  const messages = series[0]?.hours.map((_, hour) => series.reduce((sum, { hours }) => sum + (hours[hour] ?? 0), 0));
  const make = (place: GeneratedShares['place'], whole: ArrayLike<number>, middle: number): GeneratedShares => ({
    place,
    parts: addUpHours(generateParts(random, whole, middle)),
    wholes: addUpHours(whole),
  });
  const anyMiddle = (): number => 10 ** (-3 + 2 * random());
  const all = messages ?? new Uint32Array();
  return [
    make({ source, event: '', kind: 'refused' }, all, anyMiddle()),
    make(
      { source, event: '', kind: 'clock' },
      all.map((count) => Math.ceil(count / 5)),
      anyMiddle(),
    ),
    ...series
      .slice(0, eventsLookedAt.refusals)
      .map(({ event, hours }) => make({ source, event, kind: 'refused' }, hours, anyMiddle())),
  ];
}

type PropertyHours = Omit<PropertySeries, 'judged' | 'before'> & { readonly hours: readonly PropertyHour[] };

/** Properties of an event: each in its part of a sample, most of one type, and a few of another. */
function generateProperties(random: () => number, { source, event, hours }: GeneratedSeries): PropertyHours[] {
  return presences.map((presence) => ({
    ...{ source, event, property: `in_${presence}` },
    hours: Array.from(hours, (count): PropertyHour => {
      const looked = Math.min(count, maxLooked);
      const present = drawPart(random, looked, presence);
      const texts = drawPart(random, present, 0.005);
      return {
        looked,
        types: new Map([
          ...(present > texts ? [['number', present - texts] as const] : []),
          ...(texts > 0 ? [['text', texts] as const] : []),
        ]),
      };
    }),
  }));
}

/** Changes that are reported of shares and properties, hour by hour, though none of the sources changes. */
export function watchShares(all: readonly GeneratedSeries[], firstHour: number, seed: number): EventChange[] {
  const random = makeRandom(seed);
  return [...Map.groupBy(all, ({ source }) => source).values()].flatMap((series) => {
    const shares = generateShares(random, series);
    const properties = series.slice(0, eventsLookedAt.properties).flatMap((event) => generateProperties(random, event));
    return watchSource(shares, properties, firstHour, series[0]?.hours.length ?? 0);
  });
}

function watchSource(
  shares: readonly GeneratedShares[],
  properties: readonly PropertyHours[],
  firstHour: number,
  endHour: number,
): EventChange[] {
  let open = new Map<string, EventChange>();
  const opened: EventChange[] = [];
  for (let hour = firstHour; hour < endHour; hour++) {
    const findings: Finding[] = [];
    const well = new Set<string>();
    for (const { place, parts, wholes } of shares) {
      const from = Math.max(0, hour + 1 - neededHours);
      const verdict = judgeShare({
        ...place,
        parts: parts.subarray(from, hour + 2),
        wholes: wholes.subarray(from, hour + 2),
      });
      if (verdict === 'well') well.add(changeKey({ ...place, property: '' }));
      else if (typeof verdict !== 'string') findings.push(verdict);
    }
    for (const { hours, ...place } of properties) {
      const judged = hours[hour];
      if (!judged) continue;
      const before = daysBefore.flatMap((days) => hours[hour - days * 24] ?? []);
      const verdict = judgeProperty({ ...place, judged, before });
      if (verdict === 'well') for (const kind of ['type', 'vanished'] as const) well.add(changeKey({ ...place, kind }));
      else if (verdict !== 'unknown') findings.push(verdict);
    }
    const outcome = foldHour(open, findings, well, (hour + 1) * hourMs);
    opened.push(...outcome.opened);
    open = new Map([
      ...open,
      ...[...outcome.opened, ...outcome.updated].map((change) => [changeKey(change), change] as const),
    ]);
    for (const [key, { ended }] of open) if (ended !== null) open.delete(key);
  }
  return opened;
}
