import { rm } from 'node:fs/promises';
import { OperationError, describeFailure } from '@sluice/operations';
import { type StoredState } from './current-states.js';
import { type EntityType } from './entity-type.js';
import { selectChanges } from './feed-comparison.js';
import {
  type ImportState,
  readImportProgress,
  removeImportProgress,
  writeImportProgress,
} from '../files/import-progress.js';
import { ImportReport } from '../files/import-report.js';
import { type CatalogRecord, readRecords } from './read-records.js';
import { type RoundedRecord, withRoundedPrices } from './rounded-prices.js';
import { makeRecordPace } from './record-pace.js';
import { sendInOrder } from './send-in-order.js';
import { SyncApi, type SyncTarget } from './sync-api.js';

const saveIntervalMs = 500;

export interface ImportRequest extends SyncTarget {
  file: string;
  parallel: number;
  /** Upper bound of the records a second; as many as the gateway takes if left out. */
  rate?: number;
  /** Ignores the progress of an earlier import. */
  restart: boolean;
  /** Rounds prices to the digits that are stored. */
  roundPrices: boolean;
  onProgress: (state: ImportState) => void;
  /** The stored states: records that are the same are not sent. */
  states?: ReadonlyMap<string, StoredState>;
}

/**
 * Sends the records of a file to the Sync API. After an interruption at any moment, the next call continues: where the
 * last one ended, or, compared with what is stored, with what differs. Pending records are sent again, which is harmless:
 * the newest record of an entity counts.
 * @throws OperationError when the file cannot be read, or the gateway takes no more records.
 */
export async function importCatalog(request: ImportRequest): Promise<ImportState<EntityType>> {
  const { file, parallel, rate, sourceIdentifier, type, restart, states, onProgress } = request;
  if (restart || states) await removeImportProgress(file);
  const gateway = new URL(request.gatewayUrl).origin;
  const { state } = await readImportProgress(file, { gateway, source: sourceIdentifier, type }).catch(
    (error: unknown) => {
      throw new OperationError(`${file} cannot be read: ${describeFailure(error)}`, { cause: error });
    },
  );
  const saveProgress = async (): Promise<void> => {
    // A comparison continues by what is stored: positions among its records mean nothing for the next one.
    if (!states) await writeImportProgress(file, state);
  };
  const report = await ImportReport.open(file, state.refused + state.partlyStored);
  const api = new SyncApi(request);
  let savedAt = performance.now();
  try {
    const records = readImportedRecords(request, state.settled);
    await sendInOrder(states ? selectChanges(records, states, type) : records, {
      send: (batch) => api.send(batch),
      maxParallelBatches: parallel,
      ...(rate !== undefined && { waitForTurn: makeRecordPace(rate) }),
      onSettled: async (record: RoundedRecord, { stored, problems }) => {
        const outcome = { stored, problems: [...(record.rounded ?? []), ...problems] };
        // 1. Report, 2. count: after a crash, an entry that is not counted is cut off and written again.
        if (outcome.problems.length > 0) await report.add(record, outcome);
        state.settled += 1;
        if (!outcome.stored) state.refused += 1;
        else if (outcome.problems.length > 0) state.partlyStored += 1;
        if (performance.now() - savedAt < saveIntervalMs) return;
        savedAt = performance.now();
        await saveProgress();
        onProgress(state);
      },
    });
  } catch (error) {
    if (state.settled > 0) await saveProgress();
    throw error;
  } finally {
    await report.close();
    if (state.refused + state.partlyStored === 0) await rm(ImportReport.fileFor(file), { force: true });
  }
  await removeImportProgress(file);
  return state;
}

/** Reads the records of a file after the first `settled` ones, as they are sent. */
export function readImportedRecords(
  { file, type, roundPrices }: Pick<ImportRequest, 'file' | 'type' | 'roundPrices'>,
  settled = 0,
): AsyncIterable<RoundedRecord> {
  const records = skipRecords(readRecords(file, type), settled);
  return roundPrices ? roundRecords(records) : records;
}

async function* roundRecords(records: AsyncIterable<CatalogRecord>): AsyncGenerator<RoundedRecord> {
  for await (const record of records) yield withRoundedPrices(record);
}

async function* skipRecords(records: AsyncIterable<CatalogRecord>, count: number): AsyncGenerator<CatalogRecord> {
  let position = 0;
  for await (const record of records) if (++position > count) yield record;
}
