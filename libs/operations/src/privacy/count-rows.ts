import { addRows, findTargets } from './erase-rows.js';
import { type HashedPeople, mergePeople } from './people.js';
import { type TableOptions } from './person-tables.js';
import { quoteTable, queryRows, type TableServers } from './servers.js';

/**
 * Counts rows of several erasures by table, with one query per table. A row counts once for each erasure that one of
 * its ids belongs to.
 * @param erasures the people of each
 */
export async function countByErasure(
  servers: TableServers,
  erasures: readonly (readonly HashedPeople[])[],
  options: TableOptions,
): Promise<Record<string, number>[]> {
  const counts = erasures.map((): Record<string, number> => ({}));
  const { ids, lists, places } = buildOwners(erasures);
  const ownersIn = (source: string): string =>
    `transform(concat(${source}, ':', toString(hash)), [${ids}], [${places}], 0)`;
  for (const { server, table, condition, hashes } of await findTargets(
    servers,
    mergePeople(erasures.flat()),
    options,
  )) {
    const rows = await queryRows<{ erasure: number; rows: string }>(
      server.client,
      `SELECT
           arrayJoin(arrayDistinct(arrayFlatten(arrayMap(
               hash -> [[${lists}][${ownersIn('source_id')}], [${lists}][${ownersIn("'*'")} * (source_id = '')]],
               ${hashes})))) AS erasure,
           count() AS rows
       FROM ${quoteTable(server, table)}
       WHERE ${condition}
       GROUP BY erasure`,
    );
    for (const { erasure, rows: rowCount } of rows) {
      const count = counts[erasure - 1];
      if (count) addRows(count, table, Number(rowCount));
    }
  }
  return counts;
}

interface Owners {
  /** Each hash with its source. */
  readonly ids: string;
  /** Lists of the numbers of erasures, from 1. Few ids belong to several. */
  readonly lists: string;
  /** Index in `lists`, from 1, of the erasures of each of the `ids`. */
  readonly places: string;
}

function buildOwners(erasures: readonly (readonly HashedPeople[])[]): Owners {
  const owners = new Map<string, Set<number>>();
  const add = (id: string, erasure: number): void => {
    owners.set(id, (owners.get(id) ?? new Set()).add(erasure));
  };
  for (const [index, people] of erasures.entries()) {
    for (const { source, users, anonymous, sellers } of people) {
      for (const hash of [...users, ...anonymous, ...sellers]) {
        add(`${source}:${hash}`, index + 1);
        // Rows may have no source.
        add(`*:${hash}`, index + 1);
      }
    }
  }
  const texts = [...owners.values()].map((numbers) => `[${[...numbers].join(', ')}]`);
  const lists = [...new Set(texts)];
  const listPlaces = new Map(lists.map((list, index) => [list, index + 1]));
  return {
    ids: [...owners.keys()].map((id) => `'${id}'`).join(', '),
    lists: lists.join(', '),
    places: texts.map((list) => listPlaces.get(list)).join(', '),
  };
}
