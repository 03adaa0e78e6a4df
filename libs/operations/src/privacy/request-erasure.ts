import { randomUUID } from 'node:crypto';
import { type PrivacyKey } from '@sluice/privacy';
import { OperationError } from '../operation-error.js';
import { type Erasure } from './erasure.js';
import { type ErasureStore } from './erasure-store.js';
import { personIdKey } from './closure.js';
import { type PersonId } from './people.js';
import { countByKind, openIds, sealIds } from './sealed-ids.js';

export interface ErasureRequest {
  /** The ids of one person. */
  readonly ids: readonly PersonId[];
  readonly by: string;
  /** True if users seen with an anonymous id of theirs are the same person. */
  readonly isReverse?: boolean;
  /** True if their messages are dropped for ever, not only until they are erased. */
  readonly keepsSuppressed?: boolean;
}

interface KeyedStore {
  readonly store: ErasureStore;
  readonly key: PrivacyKey;
}

/** Stores a request; nothing else happens until erasures are run. A repeat before verification returns the same one. */
export async function requestErasure(keyedStore: KeyedStore, request: ErasureRequest): Promise<Erasure> {
  const { ids, by, isReverse = false, keepsSuppressed = false } = request;
  if (ids.length === 0) throw new OperationError('name a person: --user <id>, --anonymous <id> or --seller <id>');
  const present = findOpen(keyedStore, ids);
  if (present) return present;
  const requestId = `e-${randomUUID().slice(0, 13)}`;
  const time = new Date().toISOString();
  return keyedStore.store.put({
    request: requestId,
    revision: 0,
    keyId: keyedStore.key.id,
    state: 'requested',
    requestedAt: time,
    by,
    isReverse,
    keepsSuppressed,
    sources: [...new Set(ids.map(({ source }) => source))],
    asked: hashIds(keyedStore.key, ids),
    ids: countByKind(ids),
    othersDevices: 0,
    suppressions: [],
    rows: {},
    mutations: [],
    reached: { requested: time },
    batches: 0,
    reapplied: 0,
    sealed: sealIds(keyedStore.key, requestId, { asked: ids, ids, days: [] }),
  });
}

/** An erasure of the same ids that was never verified. */
function findOpen({ store, key }: KeyedStore, ids: readonly PersonId[]): Erasure | undefined {
  const idsHash = hashIds(key, ids);
  return store.list().find(({ asked: askedHash, reached }) => askedHash === idsHash && reached.verified === undefined);
}

/** Most erasures of a person that are shown. */
const maxFound = 10;

export interface FoundErasure {
  readonly erasure: Erasure;
  /** Whether it is of all ids that are asked for. */
  readonly isOfAll: boolean;
}

/** Erasures of these ids, the newest first, and those under way of some of them. */
export function findErasures({ store, key }: KeyedStore, ids: readonly PersonId[]): FoundErasure[] {
  const idsHash = hashIds(key, ids);
  const idKeys = new Set(ids.map(personIdKey));
  return store
    .list()
    .reverse()
    .flatMap((erasure): FoundErasure[] => {
      if (erasure.asked === idsHash) return [{ erasure, isOfAll: true }];
      const { sealed, keyId, reached } = erasure;
      if (sealed === undefined || keyId !== key.id || reached.verified !== undefined) return [];
      const erasedKeys = new Set(openIds(key, erasure).asked.map(personIdKey));
      if (![...erasedKeys].some((idKey) => idKeys.has(idKey))) return [];
      return [{ erasure, isOfAll: [...idKeys].every((idKey) => erasedKeys.has(idKey)) }];
    })
    .slice(0, maxFound);
}

const hashIds = (key: PrivacyKey, ids: readonly PersonId[]): string =>
  key.hash('user', JSON.stringify(ids.map((id) => hashOfId(key, id)).sort()));

/** The keyed hash of an id, with its source and kind. */
const hashOfId = (key: PrivacyKey, { source, kind, id }: PersonId): string =>
  `${source}:${kind}:${kind === 'seller' ? key.hash('user', `seller:${id}`) : key.hash(kind, id)}`;

/** An id as it may be shown: it reveals nothing of a person. */
export const maskId = (key: PrivacyKey, id: PersonId): string => hashOfId(key, id).slice(0, -14);

/** Result of beginning erasures again after a restore. */
export interface ReapplyOutcome {
  readonly again: readonly Erasure[];
  /** Erasures that were closed since: their ids are gone, so a backup that old must not be used. */
  readonly closed: readonly string[];
}

/**
 * Begins every verified erasure again, for rows from before it that a restore has brought back.
 * @param since when the backup was made; erasures that were verified before it have no rows in it
 */
export async function reapplyErasures(store: ErasureStore, since = 0): Promise<ReapplyOutcome> {
  const verified = store.list().filter(({ reached }) => Date.parse(reached.verified ?? '') >= since);
  const again: Erasure[] = [];
  for (const erasure of verified.filter(({ sealed }) => sealed !== undefined)) {
    const change = {
      state: 'resolved',
      reapplied: erasure.reapplied + 1,
      batch: undefined,
      clearAt: undefined,
    } as const;
    again.push(await store.put(erasure, change));
  }
  return { again, closed: verified.filter(({ sealed }) => sealed === undefined).map(({ request }) => request) };
}
