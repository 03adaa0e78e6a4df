import { type StoredMessage } from '../protocol/block.js';

/**
 * Leaves messages out of what is stored. The block protocol does not know of it: blocks, their ids and commits are those
 * of all messages, and what is left out counts as passed.
 */
export interface MessageFilter {
  /** Called before the first block of partitions that were just assigned. @throws while it does not know enough; retry. */
  ready(): Promise<void>;
  /**
   * The messages that are stored: the same array if that is all of them. Another attempt of the same array leaves out at
   * least what an earlier one did.
   */
  kept(topic: string, messages: readonly StoredMessage[]): readonly StoredMessage[];
  stop(): Promise<void>;
}
