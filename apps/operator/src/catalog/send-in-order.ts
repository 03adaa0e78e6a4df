import { type RecordOutcome } from '../files/import-report.js';
import { type CatalogRecord } from './read-records.js';

export interface OrderedSending<R extends CatalogRecord> {
  /** Sends records together, in their order; resolves with the outcome of each. */
  send: (records: readonly R[]) => Promise<readonly RecordOutcome[]>;
  /** Upper bound of the batches that are sent at a time. */
  maxParallelBatches: number;
  /** Called before a batch is sent: resolves when so many records may be. */
  waitForTurn?: (records: number) => Promise<unknown> | undefined;
  /** Called for each record in the order of the file, one at a time. */
  onSettled: (record: R, outcome: RecordOutcome) => Promise<void> | void;
}

/** Bounds of a batch: the number of records that the Sync API takes, and half of its bytes. */
const maxRecords = 100;
const maxBytes = 400_000;

/**
 * Sends many batches at a time, but never two with records of one entity: the last one in the file must be the last to
 * arrive. The first failure ends the sending; all records before its batch are settled.
 */
export async function sendInOrder<R extends CatalogRecord>(
  records: AsyncIterable<R>,
  { send, maxParallelBatches, waitForTurn, onSettled }: OrderedSending<R>,
): Promise<void> {
  const sendings: { batch: readonly R[]; outcomes: Promise<readonly RecordOutcome[]> }[] = [];
  const idsInFlight = new Set<string>();
  const settleOldest = async (): Promise<void> => {
    const [oldestSending] = sendings;
    if (!oldestSending) return;
    const outcomes = await oldestSending.outcomes;
    sendings.shift();
    for (const [index, record] of oldestSending.batch.entries()) {
      if (record.id !== undefined) idsInFlight.delete(record.id);
      await onSettled(record, outcomes[index] ?? { stored: true, problems: [] });
    }
  };
  const sendBatch = async (batch: readonly R[]): Promise<void> => {
    while (sendings.length >= maxParallelBatches) await settleOldest();
    await waitForTurn?.(batch.length);
    const outcomes = send(batch);
    // A failure is handled when the batch is settled.
    outcomes.catch(() => undefined);
    sendings.push({ batch, outcomes });
    for (const { id } of batch) if (id !== undefined) idsInFlight.add(id);
  };

  let [batch, bytes]: [R[], number] = [[], 0];
  for await (const record of records) {
    while (record.id !== undefined && idsInFlight.has(record.id)) await settleOldest();
    const size = Buffer.byteLength(record.json);
    if (batch.length > 0 && (batch.length >= maxRecords || bytes + size > maxBytes)) {
      await sendBatch(batch);
      [batch, bytes] = [[], 0];
      // Its entity may be in the batch that has just been sent.
      while (record.id !== undefined && idsInFlight.has(record.id)) await settleOldest();
    }
    batch.push(record);
    bytes += size;
  }
  if (batch.length > 0) await sendBatch(batch);
  while (sendings.length > 0) await settleOldest();
}
