import { draftPlan, type PlanDraft, type SeenEvent, type SeenPath } from './draft-plan.js';
import { type SelectRows } from './select-rows.js';

export interface InferQuestion {
  readonly source: string;
  readonly days: number;
  /** Version of the draft. */
  readonly version: number;
}

/** Approximate numbers of messages to look at: max of all events together, min of each event that has as many. */
const maxLooked = 500_000;
const minLooked = 20_000;
/** Max number of different texts that are kept of a path: one more than an enum of a draft may have. */
const maxTexts = 21;
const pathsAtOnce = 50;
const maxEvents = 1_000;

interface Seen {
  readonly event: string;
  readonly path: string;
  readonly type: string;
  readonly messages: number;
}

/** Where the messages of a question lie. */
interface Place {
  readonly table: 'events' | 'identifies';
  readonly column: 'properties' | 'traits';
  readonly event: string;
}

const tracked: Place = { table: 'events', column: 'properties', event: 'event' };
const identified: Place = { table: 'identifies', column: 'traits', event: "''" };

/**
 * Drafts a plan from stored messages. Of a frequent event, only messages of a share of the people are read, because the
 * table is sorted by people. Nothing is collected when messages arrive.
 */
export async function inferPlan(select: SelectRows, { source, days, version }: InferQuestion): Promise<PlanDraft> {
  const parameters = { source, from: Date.now() - days * 86_400_000 };
  const [events, traits] = await Promise.all([tracked, identified].map((place) => look(select, place, parameters)));
  const [seenTraits] = traits ?? [];
  return draftPlan(events ?? [], { source, version, ...(seenTraits && { traits: seenTraits }) });
}

async function look(select: SelectRows, place: Place, parameters: Record<string, unknown>): Promise<SeenEvent[]> {
  const counts = await select<{ name: string; stored: number }>(countsQuery(place), parameters);
  const total = counts.reduce((sum, { stored }) => sum + stored, 0);
  if (total === 0) return [];
  const all = Math.max(1, Math.ceil(total / maxLooked));
  const every = counts.map(({ stored }) => Math.min(all, Math.max(1, Math.floor(stored / minLooked))));
  const sampled = { ...parameters, names: counts.map(({ name }) => name), every };
  const seen = await select<Seen>(pathsQuery(place), sampled);
  const messages = await select<{ name: string; looked: number }>(lookedQuery(place), sampled);
  const texts = await textsOf(select, place, sampled, seen);
  return messages.map(({ name, looked }) => ({
    event: name,
    messages: looked,
    paths: seen
      .filter(({ event }) => event === name)
      .map(({ path, type, messages: count }): SeenPath => ({ path, type, messages: count })),
    texts: texts.get(name) ?? new Map(),
  }));
}

const columnName = /^[A-Za-z0-9_\-$.]+$/;

/** Different texts of each path that holds texts. */
async function textsOf(
  select: SelectRows,
  place: Place,
  parameters: Record<string, unknown>,
  seen: readonly Seen[],
): Promise<Map<string, Map<string, readonly string[]>>> {
  const paths = [
    ...new Set(seen.filter(({ type, path }) => type === 'String' && columnName.test(path)).map(({ path }) => path)),
  ];
  const texts = new Map<string, Map<string, readonly string[]>>();
  for (let at = 0; at < paths.length; at += pathsAtOnce) {
    const some = paths.slice(at, at + pathsAtOnce);
    const rows = await select<{ name: string; found: string[][] }>(textsQuery(place, some), parameters);
    for (const { name, found } of rows) {
      const known = texts.get(name) ?? new Map<string, readonly string[]>();
      for (const [index, path] of some.entries()) known.set(path, found[index] ?? []);
      texts.set(name, known);
    }
  }
  return texts;
}

const period = 'source_id = {source:String} AND received_at >= fromUnixTimestamp64Milli({from:Int64})';
/** Selects people with low hashes: a share of the sorted rows of an event. */
const isSampled = ({ event }: Place): string =>
  `identity <= intDiv(18446744073709551615, transform(toString(${event}), {names:Array(String)}, {every:Array(UInt64)}, toUInt64(1)))`;

const countsQuery = ({ table, event }: Place): string =>
  `SELECT ${event} AS name, toFloat64(count()) AS stored FROM ${table} WHERE ${period} GROUP BY name ORDER BY stored DESC LIMIT ${maxEvents}`;

const lookedQuery = (place: Place): string =>
  `SELECT ${place.event} AS name, toFloat64(count()) AS looked FROM ${place.table}
   WHERE ${period} AND ${isSampled(place)} AND has({names:Array(String)}, toString(name)) GROUP BY name ORDER BY looked DESC`;

const pathsQuery = (place: Place): string =>
  `SELECT ${place.event} AS event, found.1 AS path, found.2 AS type, toFloat64(count()) AS messages
   FROM ${place.table} ARRAY JOIN JSONAllPathsWithTypes(${place.column}) AS found
   WHERE ${period} AND ${isSampled(place)} GROUP BY event, path, type ORDER BY event, path, type`;

const textsQuery = (place: Place, paths: readonly string[]): string =>
  `SELECT ${place.event} AS name, [${paths.map((path) => `groupUniqArray(${maxTexts})(${place.column}.${quoted(path)}.:String)`).join(', ')}] AS found
   FROM ${place.table} WHERE ${period} AND ${isSampled(place)} GROUP BY name`;

const quoted = (path: string): string =>
  path
    .split('.')
    .map((name) => `\`${name}\``)
    .join('.');
