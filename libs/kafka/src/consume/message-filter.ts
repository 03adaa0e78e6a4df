import { type StoredMessage } from '../protocol/block.js';

/**
 * Leaves messages out of what is stored. The block protocol does not know of it: blocks, their ids and commits cover
 * all messages, and a message that is left out counts as stored.
 */
export interface MessageFilter {
  /** Called before the first block of newly assigned partitions. @throws while the filter knows too little; retry. */
  ready(): Promise<void>;
  /**
   * The messages to store: the same array if they are all stored. A later call with the same array leaves out at least
   * what an earlier one did.
   */
  messagesToStore(topic: string, messages: readonly StoredMessage[]): readonly StoredMessage[];
  stop(): Promise<void>;
}
