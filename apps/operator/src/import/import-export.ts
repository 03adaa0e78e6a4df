import { rm } from 'node:fs/promises';
import { OperationError, describeFailure } from '@sluice/operations';
import { ImportReport, type RecordOutcome } from '../files/import-report.js';
import {
  type ImportState,
  readImportProgress,
  removeImportProgress,
  writeImportProgress,
} from '../files/import-progress.js';
import { type ToItems } from './formats/format.js';
import { type ExportedRecord, readExportedRecords } from './read-exported-records.js';
import { SegmentApi, type SegmentTarget } from './segment-api.js';

/** Bounds of a batch, below those of the endpoint. */
const maxItems = 250;
const maxBytes = 400_000;

export interface ExportImport extends SegmentTarget {
  file: string;
  /** Name of the system that the file comes from. */
  from: string;
  toItems: ToItems;
  /** Ignores the progress of an earlier import. */
  restart: boolean;
  onProgress: (state: ImportState) => void;
}

/**
 * Sends the records of an export to the endpoint for batches of Segment. After an interruption at any moment, the next
 * call continues. It marks its first batch as a repeat, because that may have been sent already, also if none was
 * settled; copies of a message have the same id.
 * @throws OperationError when the file cannot be read, or the gateway takes no more records.
 */
export async function importExport(request: ExportImport): Promise<ImportState> {
  const { file, from, restart, dryRun, gatewayUrl, writeKey, toItems, onProgress } = request;
  if (restart) await removeImportProgress(file);
  const [source = ''] = writeKey.split('_', 1);
  const target = { gateway: new URL(gatewayUrl).origin, source, type: dryRun ? `${from}, dry run` : from };
  const { state, isContinued } = await readImportProgress(file, target).catch((error: unknown) => {
    throw new OperationError(`${file} cannot be read: ${describeFailure(error)}`, { cause: error });
  });
  const report = await ImportReport.open(file, state.refused + state.partlyStored);
  const api = new SegmentApi(request);
  try {
    // Before the first batch: the next process must see that one died in it.
    await writeImportProgress(file, state);
    for await (const batch of groupRecords(readExportedRecords(file, toItems), state.settled)) {
      const outcomes = await api.send(batch.records, batch.isFirst && isContinued ? 1 : 0);
      for (const [index, record] of batch.records.entries()) await settleRecord(record, outcomes[index], report, state);
      await writeImportProgress(file, state);
      onProgress(state);
    }
  } finally {
    await report.close();
  }
  await removeImportProgress(file);
  if (state.refused + state.partlyStored === 0) await rm(ImportReport.fileFor(file), { force: true });
  return state;
}

interface Batch {
  records: readonly ExportedRecord[];
  isFirst: boolean;
}

/** Groups the records after the first `settled` ones. */
async function* groupRecords(records: AsyncIterable<ExportedRecord>, settled: number): AsyncGenerator<Batch> {
  let [position, bytes, items, isFirst] = [0, 0, 0, true];
  let batch: ExportedRecord[] = [];
  for await (const record of records) {
    if (++position <= settled) continue;
    const size = Buffer.byteLength(record.json);
    if (batch.length > 0 && (items + record.items.length > maxItems || bytes + size > maxBytes)) {
      yield { records: batch, isFirst };
      [batch, bytes, items, isFirst] = [[], 0, 0, false];
    }
    batch.push(record);
    bytes += size;
    // A line without items counts as well, so that a file of such lines alone reports progress too.
    items += Math.max(1, record.items.length);
  }
  if (batch.length > 0) yield { records: batch, isFirst };
}

/** Reports, then counts: after a crash, an entry that is not counted is cut off and written again. */
async function settleRecord(
  record: ExportedRecord,
  outcome: RecordOutcome | undefined,
  report: ImportReport,
  state: ImportState,
): Promise<void> {
  const { stored, problems } = outcome ?? { stored: true, problems: [] };
  if (problems.length > 0) await report.add(record, { stored, problems });
  state.settled += 1;
  if (!stored) state.refused += 1;
  else if (problems.length > 0) state.partlyStored += 1;
}
