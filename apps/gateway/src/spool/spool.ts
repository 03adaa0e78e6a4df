import { join } from 'node:path';
import { Logger } from '@nestjs/common';
import { markedAsRepeat, NotPublishedError, type OutgoingMessage } from '@sluice/kafka';
import { type GatewayConfig } from '../config.js';
import { newId } from '../new-id.js';
import { frameBytes } from './frame.js';
import { type Holder, findHolder } from './holder.js';
import { type SpoolState } from './spool-folder.js';
import { SpoolParts } from './spool-parts.js';
import { type SpoolError, SpoolWorker } from './spool-worker.js';
import { steadyNow } from './steady-clock.js';
import { type MessageToSpool, type QueuePlace, type SpooledMessage } from './spooled-message.js';

/** Deadline of a write: with the publisher's deadline, a request is answered well within 5 s. */
const writeDeadlineMs = 2_000;
const maxMessagesPerCommit = 5_000;
const maxMessagesWaiting = 100_000;
const maxBytesWaiting = 64 * 1024 * 1024;
/** Upper bounds of one send to Kafka. */
const batchLimits = { messages: 2_000, bytes: 1_000_000 };
/** Part of a full spool that must be free before it takes messages again. */
const freeAgain = 0.1;

type SpoolConfig = Pick<GatewayConfig, 'GATEWAY_DATA_DIR' | 'SPOOL_MAX_BYTES' | 'SPOOL_MAX_AGE_MS'>;

interface Write {
  messages: readonly MessageToSpool[];
  /** Bytes on the disk by holder. */
  byHolder: ReadonlyMap<Holder, number>;
  bytes: number;
  resolve: () => void;
  reject: (error: Error) => void;
  timer: NodeJS.Timeout;
}

/** Keeps messages on the disk of this gateway until Kafka takes them. */
export class Spool {
  private readonly logger = new Logger(Spool.name);
  private readonly worker: SpoolWorker;
  readonly parts = new SpoolParts();
  private waiting: Write[] = [];
  private isCommitting = false;
  private waitingMessages = 0;
  private waitingBytes = 0;
  private taken: QueuePlace | undefined;
  private toForget: QueuePlace | undefined;
  private isLooking = false;
  private unopened = '';
  private reportedDamages = 0;
  private failure: SpoolError | undefined;

  constructor(private readonly config: SpoolConfig) {
    const { GATEWAY_DATA_DIR: folder, SPOOL_MAX_BYTES: maxBytes } = config;
    const options = {
      folder: join(folder, 'spool'),
      refusedFolder: join(folder, 'refused'),
      newName: newId(),
      maxBytes,
    };
    this.worker = new SpoolWorker(options, (changes) => this.parts.held.addAll(changes));
  }

  get state(): SpoolState {
    return this.worker.state;
  }

  get limitBytes(): number {
    return this.config.SPOOL_MAX_BYTES;
  }

  /** Whether no message waits on the disk or for it. */
  get isEmpty(): boolean {
    return this.state.rows === 0 && this.waiting.length === 0 && !this.isCommitting;
  }

  get oldestAgeMs(): number {
    return this.state.oldestAt === undefined ? 0 : Math.max(0, steadyNow() - this.state.oldestAt);
  }

  /** Reason why no message can be taken now; undefined when messages can. */
  get unavailableReason(): string | undefined {
    return this.lastingUnavailableReason ?? this.failure?.message;
  }

  /** The same without failures that may be over: the next write shows whether they are. */
  private get lastingUnavailableReason(): string | undefined {
    if (this.worker.busyMs > writeDeadlineMs) return 'the disk does not answer';
    if (this.oldestAgeMs > this.config.SPOOL_MAX_AGE_MS) return 'the oldest message waits for too long';
    return this.failure?.isFull ? this.failure.message : undefined;
  }

  /**
   * Resolves when the messages are on the disk. The messages of concurrent requests share a commit.
   * @throws NotPublishedError when that is not certain within 2 s, or a source would exceed its part of the disk.
   */
  write(messages: readonly OutgoingMessage[], isInDoubt: boolean): Promise<void> {
    const spooled = toSpool(messages, isInDoubt);
    const byHolder = bytesByHolder(spooled);
    const bytes = [...byHolder.values()].reduce((sum, more) => sum + more, 0);
    const isCrowded =
      this.waitingMessages + messages.length > maxMessagesWaiting || this.waitingBytes + bytes > maxBytesWaiting;
    const reason = this.lastingUnavailableReason;
    if (isCrowded || reason !== undefined) {
      return Promise.reject(new NotPublishedError(reason ?? 'too many messages wait for the disk'));
    }
    if (this.parts.areExceededBy(byHolder, this.state, this.waitingBytes))
      return Promise.reject(new NotPublishedError('the source holds its part of the spool'));
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new NotPublishedError('the disk did not answer in time')), writeDeadlineMs);
      this.waiting.push({ messages: spooled, byHolder, bytes, resolve, reject, timer });
      this.waitingMessages += messages.length;
      this.waitingBytes += bytes;
      this.parts.held.addAll(byHolder);
      if (!this.isCommitting) void this.commitAll();
    });
  }

  /** Returns the next messages of the queue; the same again until they are delivered. @throws SpoolError */
  async next(): Promise<readonly SpooledMessage[]> {
    const { toForget: delivered } = this;
    const { messages, place } = await this.worker.call({ kind: 'take', delivered, limits: batchLimits });
    this.toForget = undefined;
    this.taken = place;
    this.forgetFailure();
    this.reportDamage();
    return messages;
  }

  /** Marks the last messages as delivered or refused; the following `next` forgets them. */
  delivered(): void {
    this.toForget = this.taken;
  }

  /** Writes messages that no retry can bring into Kafka to the refused file. @throws SpoolError */
  async refuse(messages: readonly SpooledMessage[], error: string): Promise<void> {
    await this.worker.call({ kind: 'refuse', messages, error });
  }

  /**
   * Adopts messages of dead processes, and checks whether the disk works, also while nothing is written to it. Returns
   * at once while another look is pending.
   * @throws SpoolError
   */
  async look(): Promise<void> {
    if (this.isLooking) return;
    this.isLooking = true;
    try {
      await this.worker.call({ kind: 'look', mustHaveRoom: this.failure !== undefined });
      this.forgetFailure();
    } catch (error) {
      this.failure = error as SpoolError;
      throw error;
    } finally {
      this.isLooking = false;
      this.reportUnopened();
    }
  }

  async close(): Promise<void> {
    await this.worker.call({ kind: 'close' });
  }

  /** Called after the disk has worked; the failure of a full spool stays until there is room again. */
  private forgetFailure(): void {
    if (this.state.bytes < this.config.SPOOL_MAX_BYTES * (1 - freeAgain)) this.failure = undefined;
  }

  private reportUnopened(): void {
    const unopened = this.state.unopened.join('; ');
    if (unopened !== '' && unopened !== this.unopened) {
      this.logger.error({
        msg: 'queues of the spool cannot be opened; their messages are not delivered',
        error: unopened,
      });
    }
    this.unopened = unopened;
  }

  private reportDamage(): void {
    const { damages, last } = this.state.damageFound;
    if (damages === this.reportedDamages) return;
    this.logger.error({
      msg: 'the disk has damaged messages of the spool; their remains are in the folder of refused messages',
      damages,
      last,
    });
    this.reportedDamages = damages;
  }

  private async commitAll(): Promise<void> {
    this.isCommitting = true;
    while (this.waiting.length > 0) await this.commit(this.takeWaiting());
    this.isCommitting = false;
  }

  private takeWaiting(): Write[] {
    let messages = 0;
    const end = this.waiting.findIndex((write) => {
      messages += write.messages.length;
      return messages > maxMessagesPerCommit;
    });
    return this.waiting.splice(0, end < 0 ? this.waiting.length : Math.max(1, end));
  }

  /** Writes messages to the disk first, then acknowledges them. */
  private async commit(writes: readonly Write[]): Promise<void> {
    try {
      await this.worker.call({ kind: 'append', messages: writes.flatMap(({ messages }) => messages) });
      this.failure = undefined;
      for (const { resolve } of writes) resolve();
    } catch (error) {
      this.failure = error as SpoolError;
      for (const { reject } of writes) reject(new NotPublishedError('the write to the disk failed', { cause: error }));
    } finally {
      for (const { messages, byHolder, bytes, timer } of writes) {
        clearTimeout(timer);
        // The thread has reported what is on the disk now.
        for (const [holder, more] of byHolder) this.parts.held.add(holder, -more);
        this.waitingMessages -= messages.length;
        this.waitingBytes -= bytes;
      }
    }
  }
}

function bytesByHolder(messages: readonly MessageToSpool[]): Map<Holder, number> {
  const totals = new Map<Holder, number>();
  for (const message of messages) {
    const holder = findHolder(message.topic, message.value);
    totals.set(holder, (totals.get(holder) ?? 0) + frameBytes(message));
  }
  return totals;
}

/** Converts messages for the disk. Messages with the same headers share one text, which is made once. */
function toSpool(messages: readonly OutgoingMessage[], isInDoubt: boolean): MessageToSpool[] {
  const textByHeaders = new Map<OutgoingMessage['headers'], string>();
  return messages.map(({ topic, key, value, headers, partition }) => {
    const headersText = textByHeaders.get(headers) ?? JSON.stringify(isInDoubt ? markedAsRepeat(headers) : headers);
    textByHeaders.set(headers, headersText);
    return { topic, key, value, headers: headersText, ...(partition !== undefined && { partition }) };
  });
}
