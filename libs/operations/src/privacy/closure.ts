import { personIdCondition, isPlaceholderId } from '@sluice/contracts';
import { idsCondition, type HashedPeople, type PersonId, hashPeople } from './people.js';
import { readCount, queryRows, type TableServers } from './servers.js';

/** More ids than any person has in a source: a number above it is a mistake, such as the id of a test that all devices share. */
const maxIds = 1_000;
/** Upper bound of the ids of a person in all sources. */
const maxAllIds = 20_000;

const tooMany = `a person has more than ${maxIds} ids in a source, or ${maxAllIds} in all: is the id one that many devices share?`;

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
export async function findClosure(
  { reader }: TableServers,
  namedIds: readonly PersonId[],
  isReverse: boolean,
): Promise<Closure> {
  const ids = new Map(namedIds.map((id) => [personIdKey(id), id]));
  let othersDevices = 0;
  for (let newIds = [...ids.values()]; newIds.length > 0;) {
    const { ownIds, otherIds } = await findDevices(reader, newIds);
    if (!isReverse) othersDevices += otherIds.length;
    const related = [...ownIds, ...(isReverse ? [...otherIds, ...(await findUsers(reader, newIds))] : [])];
    newIds = [...new Map(related.map((id) => [personIdKey(id), id]))].flatMap(([key, id]) =>
      ids.has(key) ? [] : [id],
    );
    for (const id of newIds) ids.set(personIdKey(id), id);
    assertPlausible(ids.values(), namedIds.length);
  }
  return { ids: [...ids.values()], othersDevices };
}

function assertPlausible(ids: Iterable<PersonId>, namedCount: number): void {
  const counts = new Map<string, number>();
  let total = 0;
  for (const { source } of ids) {
    const count = (counts.get(source) ?? 0) + 1;
    counts.set(source, count);
    total += 1;
    if (count > maxIds + namedCount || total > maxAllIds + namedCount) throw new TooManyIdsError(tooMany);
  }
}

export const personIdKey = ({ source, kind, id }: PersonId): string => JSON.stringify([source, kind, id]);

type Reader = TableServers['reader'];

/** The hashes of the ids of a kind, by source. */
function groupHashes(ids: readonly PersonId[], kind: PersonId['kind']): { source: string; hashes: bigint[] }[] {
  const people = hashPeople(ids.filter((id) => id.kind === kind));
  return people.map(({ source, users, anonymous }) => ({ source, hashes: [...users, ...anonymous] }));
}

/**
 * Finds the anonymous ids seen together with users, of all their sources in one question. Messages from before the links
 * of either id were forgotten do not count. Placeholders are nobody's ids, and have no devices.
 */
async function findDevices(
  reader: Reader,
  ids: readonly PersonId[],
): Promise<{ ownIds: readonly PersonId[]; otherIds: readonly PersonId[] }> {
  const users = groupHashes(
    ids.filter(({ id }) => !isPlaceholderId(id)),
    'user',
  );
  if (users.length === 0) return { ownIds: [], otherIds: [] };
  const isOfUsers = idsCondition(users, 'identity');
  const sources = users.map(({ source }) => `'${source}'`).join(', ');
  const devices = await queryRows<{ source: string; id: string; isOwn: boolean }>(
    reader,
    `WITH
     forgotten AS
     (
         SELECT source_id, identity, max(received_at) AS until FROM forgotten_links
         WHERE source_id IN (${sources}) GROUP BY source_id, identity
     ),
     seen AS
     (
         SELECT DISTINCT message.source_id AS source, message.identity AS user, message.anonymous_id AS id FROM
         (
             SELECT source_id, identity, anonymous_id, received_at FROM events WHERE ${isOfUsers}
             UNION ALL
             SELECT source_id, identity, anonymous_id, received_at FROM identifies WHERE ${isOfUsers}
         ) AS message
         LEFT JOIN forgotten AS device
             ON device.source_id = message.source_id AND device.identity = sipHash64('anonymous', message.anonymous_id)
         LEFT JOIN forgotten AS person ON person.source_id = message.source_id AND person.identity = message.identity
         WHERE ${personIdCondition('message.anonymous_id')} AND message.received_at > device.until
             AND message.received_at > person.until
     )
     SELECT seen.source AS source, seen.id AS id, (owner.user = 0 OR owner.user = seen.user)::Bool AS isOwn
     FROM seen
     LEFT JOIN
     (
         SELECT source_id AS source, anonymous_id AS id, sipHash64('user', min((said_at, user_id)).2) AS user
         FROM identity_claims
         WHERE source_id IN (${sources}) AND (source_id, anonymous_id) IN (SELECT source, id FROM seen)
         GROUP BY source, id
     ) AS owner ON owner.source = seen.source AND owner.id = seen.id
     ORDER BY source, id
     LIMIT ${maxAllIds + 1}
     SETTINGS join_use_nulls = 0`,
  );
  // A list that is cut off could lack the person's own ids.
  if (devices.length > maxAllIds) throw new TooManyIdsError(tooMany);
  const selectDevices = (isOwn: boolean): PersonId[] =>
    devices.flatMap(({ source, id, ...device }) =>
      device.isOwn === isOwn ? [{ source, kind: 'anonymous' as const, id }] : [],
    );
  return { ownIds: selectDevices(true), otherIds: selectDevices(false) };
}

/** Users that anonymous ids were seen with, as far as links count, of all their sources in one question. */
async function findUsers(reader: Reader, ids: readonly PersonId[]): Promise<PersonId[]> {
  const anonymous = groupHashes(ids, 'anonymous');
  if (anonymous.length === 0) return [];
  const users = await queryRows<{ source: string; id: string }>(
    reader,
    `SELECT DISTINCT source_id AS source, user_id AS id FROM identity_claims
     WHERE ${idsCondition(anonymous, `sipHash64('anonymous', anonymous_id)`)}
     LIMIT ${maxAllIds + 1}`,
  );
  return users.map(({ source, id }) => ({ source, kind: 'user', id }));
}

/** The latest days on which the people of each source have events, at most five, for the views that are asked by time. */
export async function findDays(
  { reader }: TableServers,
  people: readonly HashedPeople[],
): Promise<{ source: string; day: string }[]> {
  const ids = people.map(({ source, users, anonymous }) => ({ source, hashes: [...users, ...anonymous] }));
  if (ids.every(({ hashes }) => hashes.length === 0)) return [];
  return queryRows<{ source: string; day: string }>(
    reader,
    `SELECT DISTINCT source_id AS source, toString(toDate(timestamp)) AS day FROM events
     WHERE ${idsCondition(ids, 'identity')} ORDER BY source, day DESC LIMIT 5 BY source`,
  );
}

/** True if ad requests of a source may hold people who cannot be searched for, because no path was configured. */
export async function hasAdRequests(
  { reader }: TableServers,
  sources: readonly string[],
  before: number,
): Promise<boolean> {
  const rows = await readCount(
    reader,
    `SELECT count() AS n FROM (SELECT 1 FROM ad_requests
     WHERE source_id IN {sources:Array(String)} AND received_at < fromUnixTimestamp64Milli({before:Int64}) LIMIT 1)`,
    { sources, before },
  );
  return rows > 0;
}
