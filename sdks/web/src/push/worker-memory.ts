import { resultOf, type Run } from '../queue/tables.js';

/** Settings that a page stores for the service worker, which has no client. */
export interface WorkerMemory {
  readonly host: string;
  readonly apiKey: string;
  readonly sourceIdentifier: string;
  readonly deviceId: string | undefined;
  readonly anonymousId: string | undefined;
  readonly userId: string | undefined;
}

const name = 'worker';

export const remember = (run: Run, memory: WorkerMemory): Promise<unknown> =>
  run((table) => resultOf(table('values').put(memory, name)));

/** Undefined before a page has consent, and after consent is denied. */
export const remembered = (run: Run): Promise<WorkerMemory | undefined> =>
  run((table) => resultOf(table('values').get(name) as IDBRequest<WorkerMemory | undefined>));
