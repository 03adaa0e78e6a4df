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
export function peopleOf(ids: readonly PersonId[], before?: number): HashedPeople[] {
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
export function together(people: readonly HashedPeople[]): HashedPeople[] {
  const groups = new Map<string, HashedPeople[]>();
  for (const one of people) {
    const key = `${one.source}:${one.before ?? ''}`;
    groups.set(key, [...(groups.get(key) ?? []), one]);
  }
  return [...groups.values()].flatMap((group) => {
    const [first] = group;
    if (!first) return [];
    const all = (kind: 'users' | 'anonymous' | 'sellers'): bigint[] => [...new Set(group.flatMap((one) => one[kind]))];
    return [{ ...first, users: all('users'), anonymous: all('anonymous'), sellers: all('sellers') }];
  });
}
