import { randomUUID } from 'node:crypto';
import { type PrivacyKey } from '@sluice/privacy';
import { OperationError } from '../operation-error.js';
import { type Erasure } from './erasure.js';
import { type ErasureStore } from './erasure-store.js';
import { type PersonId } from './people.js';
import { countByKind, sealIds } from './sealed-ids.js';

export interface ErasureRequest {
  /** The ids of one person. */
  readonly ids: readonly PersonId[];
  readonly by: string;
  /** Whether users seen with an anonymous id of theirs are the same person. */
  readonly isReverse?: boolean;
  /** Whether their messages are dropped for ever, not only until they are erased. */
  readonly keepsSuppressed?: boolean;
}

interface Place {
  readonly store: ErasureStore;
  readonly key: PrivacyKey;
}

/** Stores a request; nothing else happens until erasures are run. A repeat before verification returns the same one. */
export async function requestErasure(place: Place, request: ErasureRequest): Promise<Erasure> {
  const { ids, by, isReverse = false, keepsSuppressed = false } = request;
  if (ids.length === 0) throw new OperationError('name a person: --user <id>, --anonymous <id> or --seller <id>');
  const present = findOpen(place, ids);
  if (present) return present;
  const name = `e-${randomUUID().slice(0, 13)}`;
  const at = new Date().toISOString();
  return place.store.put({
    request: name,
    revision: 0,
    keyId: place.key.id,
    state: 'requested',
    requestedAt: at,
    by,
    isReverse,
    keepsSuppressed,
    sources: [...new Set(ids.map(({ source }) => source))],
    asked: nameOf(place.key, ids),
    ids: countByKind(ids),
    othersDevices: 0,
    suppressions: [],
    rows: {},
    mutations: [],
    reached: { requested: at },
    batches: 0,
    reapplied: 0,
    sealed: sealIds(place.key, name, { asked: ids, ids, days: [] }),
  });
}

/** An erasure of the same ids that was never verified. */
function findOpen({ store, key }: Place, ids: readonly PersonId[]): Erasure | undefined {
  const wanted = nameOf(key, ids);
  return store.all().find(({ asked, reached }) => asked === wanted && reached.verified === undefined);
}

const nameOf = (key: PrivacyKey, ids: readonly PersonId[]): string =>
  key.hash('user', JSON.stringify(ids.map((one) => hashOfId(key, one)).sort()));

/** The keyed hash of an id, with its source and kind. */
const hashOfId = (key: PrivacyKey, { source, kind, id }: PersonId): string =>
  `${source}:${kind}:${kind === 'seller' ? key.hash('user', `seller:${id}`) : key.hash(kind, id)}`;

/** An id as it may be shown: it reveals nothing of a person. */
export const shownIdOf = (key: PrivacyKey, id: PersonId): string => hashOfId(key, id).slice(0, -14);

/** Result of beginning erasures again after a restore. */
export interface Reapplied {
  readonly again: readonly Erasure[];
  /** Erasures that were closed since: their ids are gone, so a backup that old must not be used. */
  readonly closed: readonly string[];
}

/**
 * Begins every verified erasure again, for rows from before it that a restore has brought back.
 * @param since when the backup was made; erasures that were verified before it have no rows in it
 */
export async function reapplyErasures(store: ErasureStore, since = 0): Promise<Reapplied> {
  const verified = store.all().filter(({ reached }) => Date.parse(reached.verified ?? '') >= since);
  const again: Erasure[] = [];
  for (const one of verified.filter(({ sealed }) => sealed !== undefined)) {
    const change = { state: 'resolved', reapplied: one.reapplied + 1, batch: undefined, clearAt: undefined } as const;
    again.push(await store.put(one, change));
  }
  return { again, closed: verified.filter(({ sealed }) => sealed === undefined).map(({ request }) => request) };
}
