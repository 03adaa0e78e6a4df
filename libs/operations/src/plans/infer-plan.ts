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

/** The table that stores the messages for a plan, and the SQL expression for the event name. */
interface MessageTable {
  readonly table: 'events' | 'identifies';
  readonly column: 'properties' | 'traits';
  readonly event: string;
}

const tracked: MessageTable = { table: 'events', column: 'properties', event: 'event' };
const identified: MessageTable = { table: 'identifies', column: 'traits', event: "''" };

/**
 * Drafts a plan from stored messages. Of a frequent event, only messages of a share of the people are read, because the
 * table is sorted by people. Nothing is collected when messages arrive.
 */
export async function inferPlan(select: SelectRows, { source, days, version }: InferQuestion): Promise<PlanDraft> {
  const parameters = { source, from: Date.now() - days * 86_400_000 };
  const [events, traits] = await Promise.all(
    [tracked, identified].map((messageTable) => observeEvents(select, messageTable, parameters)),
  );
  const [seenTraits] = traits ?? [];
  return draftPlan(events ?? [], { source, version, ...(seenTraits && { traits: seenTraits }) });
}

async function observeEvents(
  select: SelectRows,
  messageTable: MessageTable,
  parameters: Record<string, unknown>,
): Promise<SeenEvent[]> {
  const counts = await select<{ name: string; stored: number }>(countsQuery(messageTable), parameters);
  const total = counts.reduce((sum, { stored }) => sum + stored, 0);
  if (total === 0) return [];
  const commonInterval = Math.max(1, Math.ceil(total / maxLooked));
  const intervals = counts.map(({ stored }) => Math.min(commonInterval, Math.max(1, Math.floor(stored / minLooked))));
  const sampleParameters = { ...parameters, names: counts.map(({ name }) => name), every: intervals };
  const seenPaths = await select<Seen>(pathsQuery(messageTable), sampleParameters);
  const messages = await select<{ name: string; looked: number }>(lookedQuery(messageTable), sampleParameters);
  const texts = await readTexts(select, messageTable, sampleParameters, seenPaths);
  return messages.map(({ name, looked }) => ({
    event: name,
    messages: looked,
    paths: seenPaths
      .filter(({ event }) => event === name)
      .map(({ path, type, messages: count }): SeenPath => ({ path, type, messages: count })),
    texts: texts.get(name) ?? new Map(),
  }));
}

const columnName = /^[A-Za-z0-9_\-$.]+$/;

/** Different texts of each path that holds texts. */
async function readTexts(
  select: SelectRows,
  messageTable: MessageTable,
  parameters: Record<string, unknown>,
  seenPaths: readonly Seen[],
): Promise<Map<string, Map<string, readonly string[]>>> {
  const paths = [
    ...new Set(
      seenPaths.filter(({ type, path }) => type === 'String' && columnName.test(path)).map(({ path }) => path),
    ),
  ];
  const texts = new Map<string, Map<string, readonly string[]>>();
  for (let start = 0; start < paths.length; start += pathsAtOnce) {
    const batch = paths.slice(start, start + pathsAtOnce);
    const rows = await select<{ name: string; textLists: string[][] }>(textsQuery(messageTable, batch), parameters);
    for (const { name, textLists } of rows) {
      const textsOfName = texts.get(name) ?? new Map<string, readonly string[]>();
      for (const [index, path] of batch.entries()) textsOfName.set(path, textLists[index] ?? []);
      texts.set(name, textsOfName);
    }
  }
  return texts;
}

const period = 'source_id = {source:String} AND received_at >= fromUnixTimestamp64Milli({from:Int64})';
/** Selects people with low hashes: a share of the sorted rows of an event. */
const isSampled = ({ event }: MessageTable): string =>
  `identity <= intDiv(18446744073709551615, transform(toString(${event}), {names:Array(String)}, {every:Array(UInt64)}, toUInt64(1)))`;

const countsQuery = ({ table, event }: MessageTable): string =>
  `SELECT ${event} AS name, toFloat64(count()) AS stored FROM ${table} WHERE ${period} GROUP BY name ORDER BY stored DESC LIMIT ${maxEvents}`;

const lookedQuery = (messageTable: MessageTable): string =>
  `SELECT ${messageTable.event} AS name, toFloat64(count()) AS looked FROM ${messageTable.table}
   WHERE ${period} AND ${isSampled(messageTable)} AND has({names:Array(String)}, toString(name)) GROUP BY name ORDER BY looked DESC`;

const pathsQuery = (messageTable: MessageTable): string =>
  `SELECT ${messageTable.event} AS event, found.1 AS path, found.2 AS type, toFloat64(count()) AS messages
   FROM ${messageTable.table} ARRAY JOIN JSONAllPathsWithTypes(${messageTable.column}) AS found
   WHERE ${period} AND ${isSampled(messageTable)} GROUP BY event, path, type ORDER BY event, path, type`;

const textsQuery = (messageTable: MessageTable, paths: readonly string[]): string =>
  `SELECT ${messageTable.event} AS name, [${paths.map((path) => `groupUniqArray(${maxTexts})(${messageTable.column}.${quoteColumnPath(path)}.:String)`).join(', ')}] AS textLists
   FROM ${messageTable.table} WHERE ${period} AND ${isSampled(messageTable)} GROUP BY name`;

const quoteColumnPath = (path: string): string =>
  path
    .split('.')
    .map((name) => `\`${name}\``)
    .join('.');
