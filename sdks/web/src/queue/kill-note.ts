import { attempt } from '@sluice/sdk-core';
import { notes as prefix } from './journal.js';
import { type Page } from './page.js';

const width = 8;

export type KillNote = ReturnType<typeof createKillNote>;

/**
 * Notes in localStorage how many messages of a page are only in its memory. The note is written in advance, with a
 * fixed width: if localStorage is full and a kill or a reload takes the messages, the next page still counts them.
 * @param source whose pages are counted
 */
export function createKillNote(storage: Storage, source: string, pages: Pick<Page, 'owner' | 'isOwned'>) {
  const created = Date.now();
  const ownName = prefix + pages.owner;
  let isWritten = false;
  let lastCount = 0;
  const write = (count: number): void => {
    lastCount = count;
    isWritten = true;
    attempt(() => storage.setItem(ownName, `${String(count).padStart(width)} ${created}`));
  };
  const remove = (): void => {
    isWritten = false;
    attempt(() => storage.removeItem(ownName));
  };
  return {
    /** Makes room for the number before it is needed. */
    prepare(): void {
      if (!isWritten) write(lastCount);
    },
    write,
    /** Counts and removes the notes of pages that have ended. */
    lostBefore: async (): Promise<number> => {
      const sourcePrefix = `${prefix}sluice.${source}.`;
      const names = attempt(() =>
        Object.keys(storage).filter((name) => name.startsWith(sourcePrefix) && name !== ownName),
      );
      if (!names?.length) return 0;
      const isOwned = await pages.isOwned();
      let lost = 0;
      attempt(() => {
        for (const name of names) {
          const [count = 0, created = 0] = storage.getItem(name)?.trim().split(' ').map(Number) ?? [];
          if (isOwned({ owner: name.slice(prefix.length), created })) continue;
          storage.removeItem(name);
          lost += count || 0;
        }
      });
      return lost;
    },
    /** Removes the note of this page. */
    remove,
    /** Removes the note if all messages are stored, as when a page ends normally. */
    removeIfEmpty: (): void => {
      if (lastCount === 0) remove();
    },
  };
}
