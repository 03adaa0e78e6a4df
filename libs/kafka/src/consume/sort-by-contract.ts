import { header, mayBeOneObject, partitionForKey, storedContracts, type Topic } from '@sluice/contracts';
import { type Block, type Rejection, type StoredMessage } from '../protocol/block.js';
import { headerText } from '../protocol/message-parts.js';

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
  /** Rows of the canary's contract, which are in none of the lists above. */
  readonly probes: Pick<SortedBlock, 'rows' | 'possibleRepeats'>;
}

/** Separates rows of a topic's contract from other messages: tombstones, empty values, other or missing contracts. */
export function sortByContract(block: Block, topic: Topic): SortedBlock {
  const { id, partition, replay, messages, shard, mayLieOn, allShards } = block;
  const places = mayLieOn && allShards && { shard, mayLieOn, allShards };
  const sorted: SortedBlock = {
    ...{ id, partition, replay, ...places },
    ...{ rows: [], possibleRepeats: [], rejections: [], probes: { rows: [], possibleRepeats: [] } },
  };
  const isOlder = isOlderThanPartitions(block);
  const contracts = storedContracts(topic);
  for (const message of messages) {
    const contract = headerText(message, header.contract);
    const rejection = findRejection(message, contract, contracts);
    if (rejection === undefined) {
      const { rows, possibleRepeats } = contract === topic.canaryContract ? sorted.probes : sorted;
      rows.push(message as RowMessage);
      const mayRepeat = isOlder || headerText(message, header.possibleRepeat) !== undefined;
      if (mayRepeat) possibleRepeats.push(message as RowMessage);
    } else sorted.rejections.push({ message, ...rejection });
  }
  return sorted;
}

/**
 * True when the block has messages produced under another number of partitions: a repeat of such a message, marked as
 * one, lies in another partition and may be stored already. Checks only a sample, because each key costs a hash.
 */
function isOlderThanPartitions({ partition, partitions, messages }: Block): boolean {
  if (!partitions) return false;
  const share = checkedOthers / messages.length;
  let first = 0;
  let previousKey: Buffer | undefined;
  return messages.some(({ key }, i) => {
    if (!key || key.length === 0) return false;
    // Messages of one person often come together: equal keys are checked once.
    const isFirst = first < checkedFirst && !previousKey?.equals(key);
    if (isFirst) first += 1;
    previousKey = key;
    return (isFirst || spread(i) < share) && partitionForKey(key, partitions) !== partition;
  });
}

/** Spreads indexes evenly over 0 to 1, without a period that messages could have too. */
const spread = (i: number): number => (Math.imul(i, 0x9e3779b1) >>> 0) / 2 ** 32;

function findRejection(
  { value }: StoredMessage,
  contract: string | undefined,
  contracts: readonly string[],
): Omit<Rejection, 'message'> | undefined {
  if (value === null || value.length === 0) return { reason: 'no value' };
  if (contract === undefined) return { reason: 'no contract header' };
  if (!contracts.includes(contract)) return { reason: `unknown contract ${contract}`, kind: 'unknown contract' };
  return mayBeOneObject(value) ? undefined : { reason: 'value is not a row' };
}
