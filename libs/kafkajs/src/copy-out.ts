// Adds to kafkajs/src/consumer/batch.js: frees the answer that fetched messages are views of.
import { FetchedRecord } from './fetched-record.js';

/**
 * Copies what records are views of, so that they keep no more than their own bytes: the answer that they came in may be
 * four MiB, and most of it another partition's or stored long ago. Records that are at least `leastShare` of the bytes
 * that they came in stay as they are. Others are moved together, what was read of them before stays valid.
 */
export function copyOut(messages: readonly object[], leastShare: number): void {
  for (let from = 0; from < messages.length;) {
    const run = runOf(messages, from);
    from += Math.max(1, run.length);
    const length = run.reduce((sum, record) => sum + record.length, 0);
    const [first] = run;
    if (first && length < first.pinnedBytes * leastShare) moveTogether(run, length);
  }
}

/** The records from there on that are views of the same bytes. */
function runOf(messages: readonly object[], from: number): FetchedRecord[] {
  const run: FetchedRecord[] = [];
  for (let at = from; at < messages.length; at++) {
    const record = messages[at];
    if (!(record instanceof FetchedRecord) || (run[0] && run[0].pinned !== record.pinned)) break;
    run.push(record);
  }
  return run;
}

function moveTogether(records: readonly FetchedRecord[], length: number): void {
  // Not from the pool of Node: that would be pinned in turn.
  const own = Buffer.allocUnsafeSlow(length);
  let at = 0;
  for (const record of records) at = record.moveTo(own, at);
}
