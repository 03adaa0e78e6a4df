import { toClickHouseTime } from '@sluice/clickhouse';
import { type HashedPeople, type PersonId, hashPeople } from './people.js';
import { askClickHouse, quoteTable, queryRows, type TableServers } from './servers.js';

/** Effects of forgetting the links of ids now, without anything that identifies a person. */
export interface LinkChanges {
  readonly sources: readonly string[];
  /** Number of anonymous ids that would no longer belong to the user they belong to now. */
  readonly links: number;
  /** Number of those ids that would then belong to another user: the first of the users whose links stay. */
  readonly moved: number;
}

/** Counts the links that end when the links of the ids are forgotten. */
export async function previewForgetting({ reader }: TableServers, ids: readonly PersonId[]): Promise<LinkChanges> {
  let [links, moved] = [0, 0];
  const people = hashPeople(ids);
  for (const { source, users, anonymous } of people) {
    const [row] = await queryRows<{ links: string; moved: string }>(
      reader,
      `SELECT count() AS links, countIf(next != '') AS moved
       FROM
       (
           SELECT min((said_at, user_id)).2 AS present, minIf((said_at, user_id), NOT is_forgotten).2 AS next
           FROM
           (
               SELECT anonymous_id, user_id, said_at, ${isAmong('identity', users)} OR ${isAmong("sipHash64('anonymous', anonymous_id)", anonymous)} AS is_forgotten
               FROM identity_claims
               WHERE source_id = {source:String}
           )
           GROUP BY anonymous_id
       )
       WHERE present != next`,
      { source },
    );
    links += Number(row?.links ?? 0);
    moved += Number(row?.moved ?? 0);
  }
  return { sources: people.map(({ source }) => source), links, moved };
}

/**
 * Forgets the links that identify messages with these ids made until now: every view that links people leaves those
 * messages out, however often they are stored again. It can be repeated, also after one of the shards did not answer.
 * @param until time of arrival, milliseconds since 1970
 */
export async function forgetLinks(servers: TableServers, ids: readonly PersonId[], until: number): Promise<void> {
  const rows = hashPeople(ids).flatMap((people) => makeRows(people, until));
  for (const server of servers.all)
    await askClickHouse(() =>
      server.client.insert({ table: quoteTable(server, 'forgotten_links'), values: rows, format: 'JSONEachRow' }),
    );
}

const makeRows = ({ source, users, anonymous }: HashedPeople, until: number): object[] =>
  Object.entries({ user: users, anonymous }).flatMap(([kind, hashes]) =>
    hashes.map((hash) => ({
      source_id: source,
      kind,
      identity: String(hash),
      received_at: toClickHouseTime(new Date(until)),
    })),
  );

const isAmong = (expression: string, hashes: readonly bigint[]): string =>
  hashes.length === 0 ? 'false' : `${expression} IN (${hashes.join(', ')})`;
