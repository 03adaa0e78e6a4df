/** Messages of an event in which a property has each type, of those of an hour that were looked at. */
export interface PropertyHour {
  readonly looked: number;
  readonly types: ReadonlyMap<string, number>;
}

export interface PropertySeries {
  readonly source: string;
  readonly event: string;
  /** Such as `items.price`. */
  readonly property: string;
  readonly judged: PropertyHour;
  /** Hours of the days and weeks before. */
  readonly before: readonly PropertyHour[];
}

export interface PropertyFinding {
  readonly source: string;
  readonly event: string;
  readonly property: string;
  readonly kind: 'type' | 'vanished';
  /** The type that most messages had before. */
  readonly typeBefore: string;
  /** The new type; empty if the property vanished. */
  readonly type: string;
  /** For `type`, the share of messages with the new type; for `vanished`, the share that still have the property. */
  readonly share: number;
  readonly expectedShare: number;
}

/** Messages that an hour needs to say something. */
const minLooked = 50;
/** Hours that the history needs. */
const minHours = 4;
/** A type is new if at least this share has it now, and at most that share had it in every hour before. */
const newShare = 0.2;
const rareShare = 0.02;
/** Properties that fewer messages have are not watched: optional ones come and go. */
const watchedShare = 0.5;
/** A property has vanished if this part of the least share before, or less, still has it. */
const vanishedPart = 0.2;

/** Judges one property of one event. Which version it came with is not asked here. */
export function judgeProperty(series: PropertySeries): PropertyFinding | 'well' | 'unknown' {
  const { source, event, property, judged } = series;
  const before = series.before.filter(({ looked }) => looked >= minLooked);
  if (judged.looked < minLooked || before.length < minHours) return 'unknown';
  const place = { source, event, property, typeBefore: findCommonType(before) };
  for (const [type, messages] of judged.types) {
    const share = messages / judged.looked;
    const expectedShare = Math.max(...before.map((hour) => (hour.types.get(type) ?? 0) / hour.looked));
    const isWatched = Math.min(...before.map(sharePresent)) > newShare;
    if (isWatched && share >= newShare && expectedShare <= rareShare)
      return { ...place, kind: 'type', type, share, expectedShare };
  }
  const [share, expectedShare] = [sharePresent(judged), Math.min(...before.map(sharePresent))];
  return expectedShare >= watchedShare && share <= vanishedPart * expectedShare
    ? { ...place, kind: 'vanished', type: '', share, expectedShare }
    : 'well';
}

function sharePresent({ looked, types }: PropertyHour): number {
  let messages = 0;
  for (const count of types.values()) messages += count;
  return messages / looked;
}

function findCommonType(hours: readonly PropertyHour[]): string {
  const counts = new Map<string, number>();
  for (const { types } of hours) for (const [type, count] of types) counts.set(type, (counts.get(type) ?? 0) + count);
  return [...counts].sort(([, a], [, b]) => b - a)[0]?.[0] ?? '';
}
