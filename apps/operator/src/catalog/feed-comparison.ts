import { makeFingerprint, type StoredState } from './current-states.js';
import { type EntityType } from './entity-type.js';
import { type CatalogRecord } from './read-records.js';
import { StateTexts } from './state-text.js';

/** Records of a file compared with what is stored of their type and source. */
export interface FeedCounts {
  /** Records of entities that are not stored. */
  new: number;
  /** Records that differ from what is stored, or of which that is not certain. */
  changed: number;
  /** Records that are stored as they are. */
  same: number;
  /** Records without an id that can be read. */
  unnamed: number;
  /** Stored entities that the file does not have. */
  deleted: number;
  /** Stored entities. */
  stored: number;
}

type Verdict = 'new' | 'changed' | 'same' | 'unnamed';

/** Compares records in the order of their file: a later one of an entity is compared with the one before it. */
export class FeedComparison {
  private readonly texts: StateTexts;
  /** States of the file that are not the stored ones. Undefined if a state is not certain. */
  private readonly later = new Map<string, string | undefined>();

  constructor(
    private readonly states: ReadonlyMap<string, StoredState>,
    type: EntityType,
  ) {
    this.texts = new StateTexts(type);
  }

  judge({ id, json, problems }: CatalogRecord): Verdict {
    if (id === undefined || problems) return 'unnamed';
    const stored = this.states.get(id);
    if (stored) stored.isInFile = true;
    const state = this.texts.readRecord(json);
    const fingerprint = state && makeFingerprint(state.text);
    const isLater = this.later.has(id);
    const before = isLater ? this.later.get(id) : stored?.fingerprint;
    const isSameTime = state?.updatedAt === undefined || (!isLater && state.updatedAt === stored?.updatedAt);
    if (fingerprint !== undefined && fingerprint === before && isSameTime) return 'same';
    this.later.set(id, fingerprint);
    return stored === undefined && !isLater ? 'new' : 'changed';
  }
}

/** Compares a whole file, and marks the stored entities that it has. */
export async function compareFeed(
  records: AsyncIterable<CatalogRecord>,
  states: ReadonlyMap<string, StoredState>,
  type: EntityType,
): Promise<FeedCounts> {
  const counts: FeedCounts = { new: 0, changed: 0, same: 0, unnamed: 0, deleted: 0, stored: states.size };
  const comparison = new FeedComparison(states, type);
  for await (const record of records) counts[comparison.judge(record)] += 1;
  for (const { isInFile } of states.values()) if (!isInFile) counts.deleted += 1;
  return counts;
}

/** The records that are not stored as they are. */
export async function* selectChanges<R extends CatalogRecord>(
  records: AsyncIterable<R>,
  states: ReadonlyMap<string, StoredState>,
  type: EntityType,
): AsyncGenerator<R> {
  const comparison = new FeedComparison(states, type);
  for await (const record of records) if (comparison.judge(record) !== 'same') yield record;
}
