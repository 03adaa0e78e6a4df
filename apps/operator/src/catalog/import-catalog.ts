import { rm } from 'node:fs/promises';
import { OperationError, reasonOf } from '@sluice/operations';
import { type EntityType } from './entity-type.js';
import { type ImportState, readProgress, removeProgress, writeProgress } from '../files/import-progress.js';
import { ImportReport } from '../files/import-report.js';
import { type CatalogRecord, readRecords } from './read-records.js';
import { sendInOrder } from './send-in-order.js';
import { SyncApi, type SyncTarget } from './sync-api.js';

const savedEveryMs = 500;

export interface ImportRequest extends SyncTarget {
  file: string;
  parallel: number;
  /** Whether to ignore the progress of an earlier import. */
  restart: boolean;
  onProgress: (state: ImportState) => void;
}

/**
 * Sends the records of a file to the Sync API. After an interruption at any moment, the next call continues.
 * Pending records are sent again, which is harmless: the newest record of an entity counts.
 * @throws OperationError when the file cannot be read, or the gateway takes no more records.
 */
export async function importCatalog(request: ImportRequest): Promise<ImportState<EntityType>> {
  const { file, parallel, sourceIdentifier, type, restart, onProgress } = request;
  if (restart) await removeProgress(file);
  const gateway = new URL(request.gatewayUrl).origin;
  const { state } = await readProgress(file, { gateway, source: sourceIdentifier, type }).catch((error: unknown) => {
    throw new OperationError(`${file} cannot be read: ${reasonOf(error)}`, { cause: error });
  });
  const report = await ImportReport.open(file, state.refused + state.partlyStored);
  const api = new SyncApi(request);
  let savedAt = performance.now();
  try {
    await sendInOrder(skip(readRecords(file, type), state.settled), {
      send: (json) => api.send(json),
      parallel,
      settled: async (record, outcome) => {
        // 1. Report, 2. count: after a crash, an entry that is not counted is cut off and written again.
        if (outcome.problems.length > 0) await report.add(record, outcome);
        state.settled += 1;
        if (!outcome.stored) state.refused += 1;
        else if (outcome.problems.length > 0) state.partlyStored += 1;
        if (performance.now() - savedAt < savedEveryMs) return;
        savedAt = performance.now();
        await writeProgress(file, state);
        onProgress(state);
      },
    });
  } catch (error) {
    await writeProgress(file, state);
    throw error;
  } finally {
    await report.close();
  }
  await removeProgress(file);
  if (state.refused + state.partlyStored === 0) await rm(ImportReport.fileOf(file), { force: true });
  return state;
}

async function* skip(records: AsyncIterable<CatalogRecord>, count: number): AsyncGenerator<CatalogRecord> {
  let seen = 0;
  for await (const record of records) if (++seen > count) yield record;
}
