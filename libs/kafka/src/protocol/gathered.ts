import { type BlockLimits, type StoredMessage } from './block.js';
import { copyOut, FetchedRecord, recordBytes } from '@sluice/kafkajs';
import { valueLength } from './message-parts.js';

/** Memory that the messages of a batch share (measured). A gateway with little to do sends batches of one message. */
const batchBytes = 380;

/** Share of an answer below which messages are copied out of it at once, so that its memory can be freed. */
const minShare = 1 / 3;
/** Calls of `unshareMemory` after which other messages are copied, unless they are nearly all of their answer. */
const roundsInAnswer = 3;
const nearlyAll = 0.9;

/** Messages of one fetched batch, which may still be views of their answer. */
interface Arrival {
  messages: readonly StoredMessage[];
  rounds: number;
}

function memoryBytes(message: StoredMessage): number {
  if (!(message instanceof FetchedRecord)) return recordBytes + valueLength(message) + (message.key?.length ?? 0);
  return recordBytes + message.length + (message.opensBatch ? batchBytes : 0);
}

/**
 * Messages that wait for their block, in the order of their offsets, and the memory that they and their block take. They
 * keep at most about three times `heldBytes` from being freed, and after a few seconds only `heldBytes`.
 */
export class Gathered {
  private messages: StoredMessage[] = [];
  private valueBytes = 0;
  /** Arrivals of the last seconds, in the order of their offsets. Some messages of the first may be forgotten. */
  private arrivals: Arrival[] = [];
  heldBytes = 0;
  /** The part of `heldBytes` that messages take which are not in a block yet. */
  waitingBytes = 0;

  get isEmpty(): boolean {
    return this.messages.length === 0;
  }

  get first(): StoredMessage | undefined {
    return this.messages[0];
  }

  fills({ BLOCK_MAX_ROWS, BLOCK_MAX_BYTES }: BlockLimits): boolean {
    return this.messages.length >= BLOCK_MAX_ROWS || this.valueBytes >= BLOCK_MAX_BYTES;
  }

  add(messages: readonly StoredMessage[]): void {
    copyOut(messages, minShare);
    this.arrivals.push({ messages: [...messages], rounds: 0 });
    for (const message of messages) {
      this.messages.push(message);
      this.valueBytes += valueLength(message);
      const size = memoryBytes(message);
      this.heldBytes += size;
      this.waitingBytes += size;
    }
  }

  /** Takes as many messages as a block may have, at least one. */
  takeBlock({ BLOCK_MAX_ROWS, BLOCK_MAX_BYTES }: BlockLimits): StoredMessage[] {
    let bytes = 0;
    const end = this.messages.findIndex((message, rows) => {
      bytes += valueLength(message);
      return rows === BLOCK_MAX_ROWS || (rows > 0 && bytes > BLOCK_MAX_BYTES);
    });
    return this.take(end < 0 ? this.messages.length : end);
  }

  takeThrough(last: bigint): StoredMessage[] {
    const end = this.messages.findIndex(({ offset }) => BigInt(offset) > last);
    return this.take(end < 0 ? this.messages.length : end);
  }

  /** Stops counting the memory of taken messages. To be called in the order of their offsets. */
  forget(blockMessages: readonly StoredMessage[]): void {
    for (const message of blockMessages) this.heldBytes -= memoryBytes(message);
    const last = BigInt(blockMessages.at(-1)?.offset ?? -1);
    const isForgotten = ({ messages }: Arrival): boolean => BigInt(messages.at(-1)?.offset ?? -1) <= last;
    while (this.arrivals[0] && isForgotten(this.arrivals[0])) this.arrivals.shift();
  }

  /** Forgets the waiting messages, but not those of the block under way. */
  clear(): void {
    this.heldBytes -= this.waitingBytes;
    this.waitingBytes = 0;
    const first = BigInt(this.messages[0]?.offset ?? 0);
    this.arrivals = this.arrivals.filter(({ messages }) => BigInt(messages[0]?.offset ?? 0) < first);
    this.messages = [];
    this.valueBytes = 0;
  }

  /** Copies messages that wait long, so that the answer they came in can be freed. To be called every second. */
  unshareMemory(): void {
    for (const arrival of this.arrivals) {
      arrival.rounds += 1;
      if (arrival.rounds === roundsInAnswer) copyOut(arrival.messages, nearlyAll);
    }
    this.arrivals = this.arrivals.filter(({ rounds }) => rounds < roundsInAnswer);
  }

  private take(rows: number): StoredMessage[] {
    const messages = this.messages.slice(0, rows);
    this.messages = this.messages.slice(rows);
    for (const message of messages) {
      this.valueBytes -= valueLength(message);
      this.waitingBytes -= memoryBytes(message);
    }
    return messages;
  }
}
