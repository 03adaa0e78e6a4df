import { type Outcome } from '../files/import-report.js';
import { type CatalogRecord } from './read-records.js';

export interface Sending {
  send: (json: string) => Promise<Outcome>;
  /** Requests at a time. */
  parallel: number;
  /** Called for each record in the order of the file, one at a time. */
  settled: (record: CatalogRecord, outcome: Outcome) => Promise<void> | void;
}

/**
 * Sends many records at a time, but never two of one entity: the last one in the file must be the last to arrive. The
 * first failure ends the sending; all records before it are settled.
 */
export async function sendInOrder(
  records: AsyncIterable<CatalogRecord>,
  { send, parallel, settled }: Sending,
): Promise<void> {
  const underWay: { record: CatalogRecord; outcome: Promise<Outcome> }[] = [];
  const ids = new Set<string | undefined>();
  const settleFirst = async (): Promise<void> => {
    const [first] = underWay;
    if (!first) return;
    const outcome = await first.outcome;
    underWay.shift();
    ids.delete(first.record.id);
    await settled(first.record, outcome);
  };

  for await (const record of records) {
    while (underWay.length >= parallel || (record.id !== undefined && ids.has(record.id))) await settleFirst();
    const { json, problems } = record;
    const outcome = problems ? Promise.resolve({ stored: false, problems }) : send(json);
    // A failure is handled when the record is settled.
    outcome.catch(() => undefined);
    underWay.push({ record, outcome });
    ids.add(record.id);
  }
  while (underWay.length > 0) await settleFirst();
}
