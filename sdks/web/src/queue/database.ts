import { attempt } from '@sluice/sdk-core';
import { type Change, type Head, type Stored } from './stored.js';
import { messageRange, openTables, awaitRequest, type Tables, transact } from './tables.js';
import { remembered, workerMemory } from '../push/worker-memory.js';

/** IndexedDB of all pages and workers of an origin. */
export interface Database {
  /**
   * Runs `work` in one transaction. Resolves with its result once the transaction is complete.
   * @param isSpare true if its data is stored elsewhere, too: it may be given up when the page leaves
   */
  readonly run: <T>(work: (table: Tables) => Promise<T>, isSpare?: boolean) => Promise<T>;
  /** True if the browser has none, or refuses it to this page: no batch can be in it. */
  readonly isAbsent: () => boolean;
  /** True from an open that failed until the next one begins. */
  readonly isRefused: () => boolean;
  /**
   * Closes the connection, which may keep the page out of the back-forward cache. A page whose transactions keep others
   * waiting is thrown out of that cache: while it is unreachable, its spare transactions are aborted, and none begins.
   */
  readonly letGo: (isUnreachable: boolean) => void;
}

const timeout = 3_000;
const anotherTry = 5_000;

export function createDatabase(factory: () => IDBFactory | undefined): Database {
  let opened: Promise<IDBDatabase> | undefined;
  let isRefused = false;
  let isUnreachable = false;
  const spare = new Set<IDBTransaction>();

  function open(): Promise<IDBDatabase> {
    isRefused = false;
    const opening = new Promise<IDBDatabase>((resolve, reject) => {
      // Some browsers never answer.
      setTimeout(reject, timeout);
      const indexedDb = factory();
      if (!indexedDb) throw new Error();
      openTables(indexedDb).then((database) => {
        database.onversionchange = database.onclose = () => letGo(isUnreachable);
        resolve(database);
      }, reject);
    });
    opening.catch(() => {
      isRefused = true;
      // There may have been no room, or the machine was busy.
      setTimeout(() => {
        if (opened === opening) opened = undefined;
      }, anotherTry);
    });
    return opening;
  }

  function letGo(isGone: boolean): void {
    isUnreachable = isGone;
    if (isUnreachable) {
      for (const transaction of spare) {
        attempt(() => transaction.abort());
      }
    }
    opened?.then(
      (database) => database.close(),
      () => undefined,
    );
    opened = undefined;
  }

  return {
    letGo,
    isAbsent: () => !attempt(factory),
    isRefused: () => isRefused,
    async run(work, isSpare) {
      if (isSpare && isUnreachable) throw new Error();
      const [transaction, done] = transact(await (opened ??= open()), work);
      if (isSpare) spare.add(transaction);
      return done.finally(() => spare.delete(transaction));
    },
  };
}

export const headsIn = (database: Database, isSpare = false): Promise<Head[]> =>
  database.run((table) => awaitRequest(table('heads').getAll()), isSpare);

/** Removes a source's batches, and what its worker remembers. Resolves with the keys and their numbers of messages. */
export const clearIn = (database: Database, sourceIdentifier: string): Promise<[key: string, messages: number][]> =>
  database.run(async (table) => {
    const [heads, messages, values] = [table('heads'), table('messages'), table('values')];
    const [allHeads, memory] = await Promise.all([awaitRequest(heads.getAll()), remembered((work) => work(table))]);
    if (memory?.sourceIdentifier === sourceIdentifier) values.delete(workerMemory);
    const ofSource = allHeads.filter((head) => head.sourceIdentifier === sourceIdentifier);
    return Promise.all(
      ofSource.map(async ({ key }) => {
        const texts = await awaitRequest(messages.getAll(messageRange(key)));
        heads.delete(key);
        messages.delete(messageRange(key));
        return [key, texts.length];
      }),
    );
  });

export interface ChangeRequest {
  readonly key: string;
  readonly change: Change;
  /** True if the change adds a message that no other store has. */
  readonly isOnlyCopy?: boolean;
  /** A message to add in place of the change, without reading the batch; the first message adds the batch, too. */
  readonly newMessage?: { readonly index: number; readonly text: string; readonly head: Head } | false | undefined;
}

/** Changes batches in one transaction, in turn. Resolves with what each change returned. */
export const changeIn = (
  database: Database,
  requests: readonly ChangeRequest[],
  isSpare = false,
): Promise<(readonly Stored[] | undefined)[]> =>
  database.run(async (table) => {
    const [heads, messages] = [table('heads'), table('messages')];
    // Added messages read nothing: a transaction that waits for its page keeps those of other pages waiting.
    for (const { key, newMessage } of requests) {
      if (!newMessage) continue;
      const { index, text, head } = newMessage;
      if (index === 0) heads.put(head, key);
      messages.put([index, text], [key, index]);
    }
    const before = new Map<string, Stored>();
    const read = async (key: string): Promise<void> => {
      const [batch, storedMessages] = await Promise.all([
        awaitRequest(heads.get(key)),
        awaitRequest(messages.getAll(messageRange(key))),
      ]);
      const texts: string[] = [];
      for (const [index, text] of storedMessages) texts[index] = text;
      if (batch) before.set(key, { batch, texts });
    };
    await Promise.all([...new Set(requests.flatMap(({ key, newMessage }) => (newMessage ? [] : key)))].map(read));
    const after = new Map<string, Stored | undefined>(before);
    const results = requests.map(({ key, change, newMessage }) => {
      const next = newMessage ? undefined : change(after.get(key));
      if (next) after.set(key, undefined);
      for (const stored of next ?? []) after.set(stored.batch.key, stored);
      return next;
    });
    for (const [key, stored] of after) {
      const earlier = before.get(key);
      if (stored && stored === earlier) continue;
      if (!stored) heads.delete(key);
      // Writes only what changed, so that the record of a try takes no more room.
      else if (stored.batch !== earlier?.batch) heads.put(stored.batch, key);
      if (!stored?.texts.length) messages.delete(messageRange(key));
      stored?.texts.forEach((text, index) => {
        if (text !== undefined && text !== earlier?.texts[index]) messages.put([index, text], [key, index]);
      });
    }
    return results;
  }, isSpare);
