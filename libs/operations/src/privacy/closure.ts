import { identityHash } from './identity-hash.js';
import { type PersonId } from './people.js';
import { countOf, select, type TableServers } from './servers.js';

/** More ids than any person has: a number above it is a mistake, such as the id of a test that all devices share. */
const maxIds = 1_000;

/** Ids that belong together, and the number of anonymous ids left out because they belong to others. */
export interface Closure {
  readonly ids: readonly PersonId[];
  readonly othersDevices: number;
}

/** A person has implausibly many ids. */
export class TooManyIdsError extends Error {
  override readonly name = 'TooManyIdsError';
}

/**
 * The ids that belong to the same person: the anonymous ids seen together with a user, except those that identity_links
 * gives to another user, because the device is that user's.
 * @param isReverse whether the users of an anonymous id belong to it too, and so on; a shared device then joins people
 */
export async function closureOf(
  { reader }: TableServers,
  asked: readonly PersonId[],
  isReverse: boolean,
): Promise<Closure> {
  const ids = new Map(asked.map((one) => [keyOf(one), one]));
  let othersDevices = 0;
  for (let fresh = [...ids.values()]; fresh.length > 0;) {
    const found: PersonId[] = [];
    for (const one of fresh) {
      if (one.kind === 'user') {
        const { own, others } = await devicesOf(reader, one);
        found.push(...own);
        if (isReverse) found.push(...others);
        else othersDevices += others.length;
      } else if (one.kind === 'anonymous' && isReverse) found.push(...(await usersOf(reader, one)));
    }
    fresh = found.filter((one) => !ids.has(keyOf(one)));
    for (const one of fresh) ids.set(keyOf(one), one);
    if (ids.size > maxIds + asked.length) {
      throw new TooManyIdsError(`a person has more than ${maxIds} ids: is the id one that many devices share?`);
    }
  }
  return { ids: [...ids.values()], othersDevices };
}

export const keyOf = ({ source, kind, id }: PersonId): string => JSON.stringify([source, kind, id]);

type Reader = TableServers['reader'];

/** Anonymous ids seen together with a user. */
async function devicesOf(reader: Reader, { source, id }: PersonId): Promise<{ own: PersonId[]; others: PersonId[] }> {
  const seen = await select<{ id: string; isOwn: boolean }>(
    reader,
    `WITH seen AS
     (
         SELECT DISTINCT anonymous_id AS id FROM
         (
             SELECT anonymous_id FROM events WHERE source_id = {source:String} AND identity = {hash:UInt64}
             UNION ALL
             SELECT anonymous_id FROM identifies WHERE source_id = {source:String} AND identity = {hash:UInt64}
         )
         WHERE anonymous_id != ''
     )
     SELECT seen.id AS id, (owner.user = 0 OR owner.user = {hash:UInt64})::Bool AS isOwn
     FROM seen
     LEFT JOIN
     (
         SELECT anonymous_id, sipHash64('user', min((least(timestamp, received_at), user_id)).2) AS user
         FROM identifies
         WHERE source_id = {source:String} AND user_id != '' AND anonymous_id IN (SELECT id FROM seen)
         GROUP BY anonymous_id
     ) AS owner ON owner.anonymous_id = seen.id
     ORDER BY id
     LIMIT ${maxIds + 1}
     SETTINGS join_use_nulls = 0`,
    { source, hash: String(identityHash('user', id)) },
  );
  const ids = (isOwn: boolean): PersonId[] =>
    seen.filter((one) => one.isOwn === isOwn).map((one) => ({ source, kind: 'anonymous', id: one.id }));
  return { own: ids(true), others: ids(false) };
}

/** Users that an anonymous id was seen with. */
async function usersOf(reader: Reader, { source, id }: PersonId): Promise<PersonId[]> {
  const found = await select<{ id: string }>(
    reader,
    `SELECT DISTINCT user_id AS id FROM identifies
     WHERE source_id = {source:String} AND sipHash64('anonymous', anonymous_id) = {hash:UInt64} AND user_id != ''
     LIMIT ${maxIds + 1}`,
    { source, hash: String(identityHash('anonymous', id)) },
  );
  return found.map((user) => ({ source, kind: 'user', id: user.id }));
}

/** The latest days on which the people have events, at most five, for the views that are asked by time. */
export async function daysOf(
  { reader }: TableServers,
  source: string,
  hashes: readonly bigint[],
): Promise<{ source: string; day: string }[]> {
  if (hashes.length === 0) return [];
  const days = await select<{ day: string }>(
    reader,
    `SELECT DISTINCT toString(toDate(timestamp)) AS day FROM events
     WHERE source_id = {source:String} AND identity IN (${hashes.join(', ')}) ORDER BY day DESC LIMIT 5`,
    { source },
  );
  return days.map(({ day }) => ({ source, day }));
}

/** Whether ad requests of a source may hold people who cannot be looked for, because no path was configured. */
export async function hasAdRequests(
  { reader }: TableServers,
  sources: readonly string[],
  before: number,
): Promise<boolean> {
  const rows = await countOf(
    reader,
    `SELECT count() AS n FROM (SELECT 1 FROM ad_requests
     WHERE source_id IN {sources:Array(String)} AND received_at < fromUnixTimestamp64Milli({before:Int64}) LIMIT 1)`,
    { sources, before },
  );
  return rows > 0;
}
