import { changeIn, type Database, type ChangeRequest } from './database.js';
import { type Stored } from './stored.js';

interface PendingChange {
  readonly request: ChangeRequest;
  readonly isSpare: boolean;
  readonly fulfil: (next: readonly Stored[] | undefined) => void;
  readonly fail: (error: unknown) => void;
}

/** Max changes in a group: the page stays responsive while one is written. */
const maxChanges = 100;
/** Few, so that later changes are grouped; more than one, so that fewer are still waiting when a tab is killed. */
const maxGroups = 4;

/**
 * Groups changes of batches: those that arrive while a transaction runs share the next one. Without that, IndexedDB is
 * slower than a page that makes many messages, and falls behind.
 * @param isHurried true if nothing may wait for a transaction, because the page may end
 */
export function createGroups(database: Database, isHurried: () => boolean) {
  const pending: PendingChange[] = [];
  /** Groups that are being written. */
  let writing = 0;

  async function write(group: readonly PendingChange[]): Promise<void> {
    try {
      const isSpare = group.every((change) => change.isSpare);
      const requests = group.map((change) => change.request);
      const results = await changeIn(database, requests, isSpare);
      group.forEach(({ fulfil }, index) => fulfil(results[index]));
    } catch (error) {
      // A change that fails, perhaps for lack of room, must not fail the others: each is written alone.
      // Each then reads its batch first, because others may have changed it in the meantime.
      if (group[1])
        for (const change of group) await write([{ ...change, request: { ...change.request, newMessage: undefined } }]);
      else group[0]?.fail(error);
    }
  }

  async function work(): Promise<void> {
    writing++;
    // Lets the calls of the same task join.
    if (!isHurried()) await Promise.resolve();
    for (let first; (first = pending[0]);) {
      // A change waits for the page between reading and writing; messages that are only added must not wait with it.
      const end = pending.findIndex(({ request }) => !request.newMessage === !!first.request.newMessage);
      const groupWrite = write(pending.splice(0, end < 0 ? maxChanges : Math.min(maxChanges, end)));
      // Everything that waits begins before the page ends.
      if (!isHurried()) await groupWrite;
    }
    writing--;
  }

  return {
    /** Changes a batch in IndexedDB. Resolves with what the change returned. */
    change: (request: ChangeRequest, isSpare = false): Promise<readonly Stored[] | undefined> =>
      new Promise((fulfil, fail) => {
        pending.push({ request, isSpare, fulfil, fail });
        if (writing < maxGroups || isHurried()) void work();
      }),
    /**
     * Forgets the waiting changes. Those under way come before whatever the caller does next.
     * @returns the number of messages that were nowhere else
     */
    forget: (): number => {
      const forgotten = pending.splice(0);
      for (const { fulfil } of forgotten) fulfil([]);
      return forgotten.filter(({ request }) => request.isOnlyCopy).length;
    },
  };
}
