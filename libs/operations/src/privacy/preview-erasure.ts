import { toSuppressedId } from '@sluice/privacy';
import { findClosure } from './closure.js';
import { countRowsBySource, countRowsByTable, findTargets } from './erase-rows.js';
import { type PeopleStores } from './eraser.js';
import { findErasures, type FoundErasure, maskId } from './request-erasure.js';
import { hashPeople, type PersonId } from './people.js';
import { toSubjects } from './sealed-ids.js';

/** Numbers of ids and rows that an erasure would delete now, without anything that identifies the person. */
export interface ErasurePreview {
  readonly sources: readonly string[];
  /** Source, kind and first characters of the keyed hash of each id that was asked for. */
  readonly asked: readonly string[];
  /** Numbers of different ids, by kind: an id counts once, in however many sources it is asked for. */
  readonly ids: Readonly<Record<string, number>>;
  readonly othersDevices: number;
  readonly rows: Readonly<Record<string, number>>;
  /** Sources that have rows, most rows first, with the numbers by table; an empty source for refusals without one. */
  readonly rowsBySource: readonly RowsOfSource[];
  /** Number of those rows that are calls of others to a group that has the id of the person. */
  readonly rowsOfOthers: number;
  /** True if ad requests are searched. */
  readonly hasAdRequestPaths: boolean;
  /** True if messages of one of the named ids are dropped now. */
  readonly isSuppressed: boolean;
  /** Erasures of these ids, or of some of them, the newest first. */
  readonly erasures: readonly FoundErasure[];
}

export interface RowsOfSource {
  readonly source: string;
  readonly rows: Readonly<Record<string, number>>;
}

export async function previewErasure(
  { servers, tables, key, store, suppressions }: PeopleStores,
  namedIds: readonly PersonId[],
  isReverse: boolean,
): Promise<ErasurePreview> {
  const { ids, othersDevices } = await findClosure(servers, namedIds, isReverse);
  const targets = await findTargets(servers, hashPeople(ids), tables);
  const rowsBySource = [...(await countRowsBySource(targets))].map(([source, rows]) => ({ source, rows }));
  const countsOfOthers = await countRowsByTable(targets.filter(({ isOfOthers }) => isOfOthers));
  return {
    sources: [...new Set(namedIds.map(({ source }) => source))],
    asked: namedIds.map((id) => maskId(key, id)),
    ids: countDifferent(ids),
    othersDevices,
    rows: sumByTable(rowsBySource),
    rowsBySource: rowsBySource.sort((a, b) => sumRows(b) - sumRows(a) || a.source.localeCompare(b.source)),
    rowsOfOthers: Object.values(countsOfOthers).reduce((sum, rows) => sum + rows, 0),
    hasAdRequestPaths: tables.adRequestPaths.length > 0,
    isSuppressed: toSubjects(namedIds).some((subject) => {
      const suppression = suppressions.registry.find(toSuppressedId(key, subject));
      return suppression !== undefined && suppression.until === undefined;
    }),
    erasures: findErasures({ store, key }, namedIds),
  };
}

const sumRows = ({ rows }: RowsOfSource): number => Object.values(rows).reduce((sum, count) => sum + count, 0);

function sumByTable(sources: readonly RowsOfSource[]): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const { rows } of sources)
    for (const [table, count] of Object.entries(rows)) sums[table] = (sums[table] ?? 0) + count;
  return sums;
}

function countDifferent(ids: readonly PersonId[]): Record<string, number> {
  const kinds = Map.groupBy(ids, ({ kind }) => kind);
  return Object.fromEntries([...kinds].map(([kind, idsOfKind]) => [kind, new Set(idsOfKind.map(({ id }) => id)).size]));
}
