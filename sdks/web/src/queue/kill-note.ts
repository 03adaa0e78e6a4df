import { attempt, type MaybePromise } from '@sluice/sdk-core';
import { notes as prefix } from './journal.js';
import { type Head } from './stored.js';

const width = 8;

/** Parts of a page that tell which pages live. */
interface Pages {
  readonly owner: string;
  isOwned(): MaybePromise<(head: Pick<Head, 'owner' | 'created'>) => boolean>;
}
/**
 * The number of messages of a page that are only in its memory, as localStorage knows it. It is written in advance, with
 * a fixed width: when localStorage is full, and a kill or a reload takes those messages, the next page still counts them.
 * @param source whose pages are counted
 */
export function createKillNote(storage: Storage, source: string, pages: Pages) {
  const created = Date.now();
  const ownName = prefix + pages.owner;
  let isThere = false;
  let known = 0;
  const write = (count: number): void => {
    known = count;
    isThere = true;
    attempt(() => storage.setItem(ownName, `${String(count).padStart(width)} ${created}`));
  };
  const remove = (): void => {
    isThere = false;
    attempt(() => storage.removeItem(ownName));
  };
  return {
    /** Makes room for the number before it is needed. */
    prepare(): void {
      if (!isThere) write(known);
    },
    write,
    /** Counts and removes the notes of pages that have ended. */
    lostBefore: async (): Promise<number> => {
      const ofSource = `${prefix}sluice.${source}.`;
      const names = attempt(() => Object.keys(storage).filter((name) => name.startsWith(ofSource) && name !== ownName));
      if (!names?.length) return 0;
      const isOwned = await pages.isOwned();
      let lost = 0;
      for (const name of names) {
        const [count = 0, since = 0] = (attempt(() => storage.getItem(name)) ?? '').trim().split(' ').map(Number);
        if (isOwned({ owner: name.slice(prefix.length), created: since })) continue;
        lost += count || 0;
        attempt(() => storage.removeItem(name));
      }
      return lost;
    },
    /** Removes the note of this page. */
    remove,
    /** For a page that leaves in order: its messages are stored. */
    removeIfEmpty: (): void => {
      if (known === 0) remove();
    },
  };
}
