import { header, mayBeOneObject, partitionOf, storedContracts, type Topic } from '@sluice/contracts';
import { type Block, type Rejection, type StoredMessage } from '../protocol/block.js';
import { headerOf } from '../protocol/message-parts.js';

/** Number of keys checked at the beginning of a block: messages of the time of fewer partitions come first in a log. */
const checkedFirst = 16;
/** Number of keys checked all over the block: a producer may learn of new partitions only after minutes. */
const checkedOthers = 256;

/** A message whose value is a finished row. */
export type RowMessage = StoredMessage & { readonly value: Buffer };

/** The rows of a block that a writer stores, and the messages that it never sees. */
export interface SortedBlock extends Pick<Block, 'id' | 'partition' | 'replay' | 'shard' | 'mayLieOn' | 'allShards'> {
  readonly rows: RowMessage[];
  /** Rows that may be in Kafka more than once. */
  readonly possibleRepeats: RowMessage[];
  readonly rejections: Rejection[];
}

/** Separates rows of a topic's contract from other messages: tombstones, empty values, other or missing contracts. */
export function sortByContract(block: Block, topic: Topic): SortedBlock {
  const { id, partition, replay, messages, shard, mayLieOn, allShards } = block;
  const places = mayLieOn && allShards && { shard, mayLieOn, allShards };
  const sorted: SortedBlock = { id, partition, replay, ...places, rows: [], possibleRepeats: [], rejections: [] };
  const isOlder = isOlderThanPartitions(block);
  const contracts = storedContracts(topic);
  for (const message of messages) {
    const rejection = rejectionOf(message, contracts);
    if (rejection === undefined) {
      sorted.rows.push(message as RowMessage);
      const mayRepeat = isOlder || headerOf(message, header.possibleRepeat) !== undefined;
      if (mayRepeat) sorted.possibleRepeats.push(message as RowMessage);
    } else sorted.rejections.push({ message, ...rejection });
  }
  return sorted;
}

/**
 * Whether the block has messages produced under another number of partitions: a repeat of such a message, marked as
 * one, lies in another partition and may be stored already. Checks only a sample, because each key costs a hash.
 */
function isOlderThanPartitions({ partition, partitions, messages }: Block): boolean {
  if (!partitions) return false;
  const share = checkedOthers / messages.length;
  let first = 0;
  let before: Buffer | undefined;
  return messages.some(({ key }, i) => {
    if (!key || key.length === 0) return false;
    // Messages of one person often come together: equal keys are checked once.
    const isFirst = first < checkedFirst && !before?.equals(key);
    if (isFirst) first += 1;
    before = key;
    return (isFirst || spread(i) < share) && partitionOf(key, partitions) !== partition;
  });
}

/** Spreads indexes evenly over 0 to 1, without a period that messages could have too. */
const spread = (i: number): number => (Math.imul(i, 0x9e3779b1) >>> 0) / 2 ** 32;

function rejectionOf(message: StoredMessage, contracts: readonly string[]): Omit<Rejection, 'message'> | undefined {
  const { value } = message;
  if (value === null || value.length === 0) return { reason: 'no value' };
  const found = headerOf(message, header.contract);
  if (found === undefined) return { reason: 'no contract header' };
  if (!contracts.includes(found)) return { reason: `unknown contract ${found}`, kind: 'unknown contract' };
  return mayBeOneObject(value) ? undefined : { reason: 'value is not a row' };
}
