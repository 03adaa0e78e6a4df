import { addRows, targetsOf } from './erase-rows.js';
import { type HashedPeople, together } from './people.js';
import { personTables, type TableOptions } from './person-tables.js';
import { placeOf, select, type TableServers } from './servers.js';

/**
 * Counts rows of several erasures by table, with one query per table. A row counts for each erasure that one of its ids
 * belongs to; an id of several erasures counts for the last of them.
 * @param erasures the people of each
 */
export async function countByErasure(
  servers: TableServers,
  erasures: readonly (readonly HashedPeople[])[],
  options: TableOptions,
): Promise<Record<string, number>[]> {
  const counts = erasures.map((): Record<string, number> => ({}));
  const { names, numbers } = ownersOf(erasures);
  for (const { server, table, condition } of await targetsOf(servers, together(erasures.flat()), options)) {
    const hashes = personTables.find((one) => one.table === table)?.hashes(options) ?? '[]';
    const rows = await select<{ erasure: number; rows: string }>(
      server.client,
      `SELECT
           arrayJoin(arrayFilter(one -> one > 0, arrayDistinct(arrayFlatten(arrayMap(
               hash -> [transform(concat(source_id, ':', toString(hash)), [${names}], [${numbers}], 0),
                        transform(concat('*:', toString(hash)), [${names}], [${numbers}], 0) * (source_id = '')],
               ${hashes}))))) AS erasure,
           count() AS rows
       FROM ${placeOf(server, table)}
       WHERE ${condition}
       GROUP BY erasure`,
    );
    for (const { erasure, rows: found } of rows) {
      const count = counts[erasure - 1];
      if (count) addRows(count, table, Number(found));
    }
  }
  return counts;
}

/** Each hash with its source, and the number of the erasure that it belongs to, from 1. */
function ownersOf(erasures: readonly (readonly HashedPeople[])[]): { names: string; numbers: string } {
  const owners = new Map<string, number>();
  for (const [index, people] of erasures.entries()) {
    for (const { source, users, anonymous, sellers } of people) {
      for (const hash of [...users, ...anonymous, ...sellers]) {
        owners.set(`${source}:${hash}`, index + 1);
        // For rows whose source is not known.
        owners.set(`*:${hash}`, index + 1);
      }
    }
  }
  return {
    names: [...owners.keys()].map((name) => `'${name}'`).join(', '),
    numbers: [...owners.values()].join(', '),
  };
}
