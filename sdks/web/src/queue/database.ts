import { attempt } from '@sluice/sdk-core';
import { type Change, type Head, type Stored } from './stored.js';
import { messagesOf, openTables, resultOf, tableNames, type Tables, transact } from './tables.js';

/** IndexedDB of all pages and workers of an origin. */
export interface Database {
  /**
   * Runs `work` in one transaction. Resolves with its result once the transaction is complete.
   * @param isSpare true if its data is stored elsewhere, too: it may be given up when the page leaves
   */
  readonly run: <T>(work: (table: Tables) => Promise<T>, isSpare?: boolean) => Promise<T>;
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
      const there = factory();
      if (!there) throw new Error();
      openTables(there).then((database) => {
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
      for (const one of spare) {
        attempt(() => one.abort());
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
  database.run((table) => resultOf(table('heads').getAll()), isSpare);

export async function clearIn(database: Database): Promise<void> {
  await database.run((table) => Promise.all(tableNames.map((name) => resultOf(table(name).clear()))));
}

export interface Wanted {
  readonly key: string;
  readonly change: Change;
  /** A message that is added instead, without reading the stored batch; the first message adds the batch, too. */
  readonly added?: { readonly index: number; readonly text: string; readonly head: Head } | false | undefined;
}

/** Changes batches in one transaction, in turn. Resolves with what each change returned. */
export const changeIn = (
  database: Database,
  wanted: readonly Wanted[],
  isSpare = false,
): Promise<(readonly Stored[] | undefined)[]> =>
  database.run(async (table) => {
    const [heads, messages] = [table('heads'), table('messages')];
    // Added messages read nothing: a transaction that waits for its page keeps those of other pages waiting.
    for (const { key, added } of wanted) {
      if (!added) continue;
      const { index, text, head } = added;
      if (index === 0) heads.put(head, key);
      messages.put([index, text], [key, index]);
    }
    const before = new Map<string, Stored>();
    const read = async (key: string): Promise<void> => {
      const [batch, known] = await Promise.all([resultOf(heads.get(key)), resultOf(messages.getAll(messagesOf(key)))]);
      const texts: string[] = [];
      for (const [at, text] of known) texts[at] = text;
      if (batch) before.set(key, { batch, texts });
    };
    await Promise.all([...new Set(wanted.flatMap(({ key, added }) => (added ? [] : key)))].map(read));
    const after = new Map<string, Stored | undefined>(before);
    const results = wanted.map(({ key, change, added }) => {
      const next = added ? undefined : change(after.get(key));
      if (next) after.set(key, undefined);
      for (const stored of next ?? []) after.set(stored.batch.key, stored);
      return next;
    });
    for (const [key, stored] of after) {
      const known = before.get(key);
      if (stored && stored === known) continue;
      if (!stored) heads.delete(key);
      // Writes only what changed, so that the record of a try takes no more room.
      else if (stored.batch !== known?.batch) heads.put(stored.batch, key);
      if (!stored?.texts.length) messages.delete(messagesOf(key));
      stored?.texts.forEach((text, at) => {
        if (text !== undefined && text !== known?.texts[at]) messages.put([at, text], [key, at]);
      });
    }
    return results;
  }, isSpare);
