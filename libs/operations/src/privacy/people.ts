import { type PersonIdKind } from '@sluice/console-api';
import { sourceIdentifierPattern } from '@sluice/contracts';
import { identityHash } from './identity-hash.js';

/** An id of a person in a source, in clear. Only the manifest of an export has it so; records seal it. */
export interface PersonId {
  readonly source: string;
  readonly kind: PersonIdKind;
  readonly id: string;
}

/** The ids of one or more people, as hashes, by source. */
export interface HashedPeople {
  readonly source: string;
  readonly users: readonly bigint[];
  readonly anonymous: readonly bigint[];
  readonly sellers: readonly bigint[];
  /** Limits rows to those that arrived before this time, milliseconds since 1970; later ones are of new people. */
  readonly before?: number | undefined;
}

/** Hashes ids and groups them by their source. */
export function hashPeople(ids: readonly PersonId[], before?: number): HashedPeople[] {
  const sources = new Map<string, Record<PersonIdKind, bigint[]>>();
  for (const { source, kind, id } of ids) {
    // Sources get into statements unescaped.
    if (!sourceIdentifierPattern.test(source)) throw new TypeError('not a source');
    const hashes = sources.get(source) ?? { user: [], anonymous: [], seller: [] };
    sources.set(source, hashes);
    hashes[kind].push(identityHash(kind, id));
  }
  return [...sources].map(([source, { user, anonymous, seller }]) => ({
    source,
    users: user,
    anonymous,
    sellers: seller,
    before,
  }));
}

/** Merges people of one source and one time, so that one condition lists all of them. */
export function mergePeople(people: readonly HashedPeople[]): HashedPeople[] {
  const groups = new Map<string, HashedPeople[]>();
  for (const peopleOfSource of people) {
    const key = `${peopleOfSource.source}:${peopleOfSource.before ?? ''}`;
    groups.set(key, [...(groups.get(key) ?? []), peopleOfSource]);
  }
  return [...groups.values()].flatMap((group) => {
    const [firstPeople] = group;
    if (!firstPeople) return [];
    const mergeHashes = (kind: 'users' | 'anonymous' | 'sellers'): bigint[] => [
      ...new Set(group.flatMap((peopleOfSource) => peopleOfSource[kind])),
    ];
    return [
      {
        ...firstPeople,
        users: mergeHashes('users'),
        anonymous: mergeHashes('anonymous'),
        sellers: mergeHashes('sellers'),
      },
    ];
  });
}

/** The ids of a kind, or of several, of a source. */
export interface HashesOfSource {
  readonly source: string;
  readonly hashes: readonly bigint[];
}

/**
 * SQL condition for rows of these ids. It has a list of sources and a list of hashes, by which ClickHouse uses the order
 * of the table however many sources there are. Where the sources have different ids, pairs of source and hash follow.
 * @param hash SQL of the hash of a row's id
 */
export function idsCondition(ids: readonly HashesOfSource[], hash: string): string {
  const withHashes = ids.filter(({ hashes }) => hashes.length > 0);
  const hashes = [...new Set(withHashes.flatMap((idsOfSource) => idsOfSource.hashes))];
  if (hashes.length === 0) return 'false';
  const sources = [...new Set(withHashes.map(({ source }) => `'${source}'`))];
  const condition = `source_id IN (${sources.join(', ')}) AND ${hash} IN (${hashes.join(', ')})`;
  return haveSameHashes(withHashes) ? condition : `${condition} AND (source_id, ${hash}) IN (${listPairs(withHashes)})`;
}

/** True if all sources have the same hashes. */
export const haveSameHashes = (ids: readonly HashesOfSource[]): boolean =>
  new Set(ids.map(({ hashes }) => [...hashes].sort().join())).size <= 1;

/** SQL list of each source with each of its hashes. */
export const listPairs = (ids: readonly HashesOfSource[]): string =>
  ids.flatMap(({ source, hashes }) => hashes.map((hash) => `('${source}', ${hash})`)).join(', ');
