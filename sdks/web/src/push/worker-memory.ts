import { awaitRequest, type Run } from '../queue/tables.js';

/** Settings that a page stores for the service worker, which has no client. */
export interface WorkerMemory {
  readonly host: string;
  readonly apiKey: string;
  readonly sourceIdentifier: string;
  readonly deviceId: string | undefined;
  readonly anonymousId: string | undefined;
  readonly userId: string | undefined;
}

/** Name of the value. */
export const workerMemory = 'worker';

export const remember = (run: Run, memory: WorkerMemory): Promise<unknown> =>
  run((table) => awaitRequest(table('values').put(memory, workerMemory)));

/** Undefined before a page has consent, and after consent is denied. */
export const remembered = (run: Run): Promise<WorkerMemory | undefined> =>
  run((table) => awaitRequest(table('values').get(workerMemory) as IDBRequest<WorkerMemory | undefined>));
