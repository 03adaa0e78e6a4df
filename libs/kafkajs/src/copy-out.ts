// Adds to kafkajs/src/consumer/batch.js: frees the answer that fetched messages are views of.
import { FetchedRecord } from './fetched-record.js';

/**
 * Copies the bytes of records out of the answer they came in, so that it can be freed: it may be four MiB, most of it of
 * other partitions or stored long ago. Records that are at least `minShare` of their answer stay as they are. Values
 * that were read from a record before stay valid.
 */
export function copyOut(messages: readonly object[], minShare: number): void {
  for (let from = 0; from < messages.length;) {
    const run = findRun(messages, from);
    from += Math.max(1, run.length);
    const length = run.reduce((sum, record) => sum + record.length, 0);
    const [first] = run;
    if (first && length < first.pinnedBytes * minShare) moveTogether(run, length);
  }
}

/** The consecutive records, beginning at `from`, that are views of the same bytes. */
function findRun(messages: readonly object[], from: number): FetchedRecord[] {
  const run: FetchedRecord[] = [];
  for (let index = from; index < messages.length; index++) {
    const record = messages[index];
    if (!(record instanceof FetchedRecord) || (run[0] && run[0].pinned !== record.pinned)) break;
    run.push(record);
  }
  return run;
}

function moveTogether(records: readonly FetchedRecord[], length: number): void {
  // The pool of Node would be pinned in turn, so the memory must not come from it.
  const target = Buffer.allocUnsafeSlow(length);
  let end = 0;
  for (const record of records) end = record.moveTo(target, end);
}
