import { FinalError } from '@sluice/contracts';
import { retry } from '@sluice/service';
import { type Block, type Rejection } from './block.js';
import { type BlockStorage } from './block-storage.js';
import { type Commit } from './committed.js';
import { type FetchedBatch, type PartitionProtocol, type AppendResult } from './partition-protocol.js';
import { type PartitionStep, PartitionSteps } from './partition-steps.js';

/** Upper bound of the time that a filling block waits once the one before it is done, unless its age is longer. */
const maxFillMs = 5_000;
const pauses = { firstPauseMs: 200, maxPauseMs: 10_000 };

/** Drives the block protocol of one partition from its assignment until it is over: one block at a time. */
export class PartitionBlocks {
  /** Resolves when all work has ended, by `finish` or by `end`. */
  readonly ended: Promise<void>;
  private readonly over = new AbortController();
  private isFinishing = false;
  /** Ends the present wait for a turn although no turn was given. */
  private giveUpTurn: () => void = () => undefined;
  private isHurried = false;
  /** True when the gathering messages have reached the age of a block: they wait only for more that is on its way. */
  private isOld = false;
  /** True when the block waits no longer, even if more is on its way. */
  private isOverdue = false;
  /** Aborts the timers of `isOld` and `isOverdue`. */
  private aging = new AbortController();
  private wake: () => void = () => undefined;

  /** @param steps the earlier steps of the same partition when it begins again */
  constructor(
    readonly protocol: PartitionProtocol,
    private readonly storage: BlockStorage,
    readonly steps = new PartitionSteps(),
  ) {
    this.ended = this.run();
  }

  append(batch: FetchedBatch): AppendResult {
    const taking = this.protocol.append(batch);
    this.wake();
    return taking;
  }

  /** Ends the ownership: from now on nothing is committed and nothing begun. */
  end(): void {
    this.over.abort();
    this.aging.abort();
    this.giveUpTurn();
    this.wake();
  }

  /** Commits what is stored without waiting for the answer, while this generation still can, then ends. */
  confirmAndEnd(): void {
    const confirmation = this.over.signal.aborted ? undefined : this.protocol.makeConfirmationCommit();
    // If it fails, the next owner asks the tables.
    if (confirmation) this.storage.commit(this.protocol.place, confirmation).catch(() => undefined);
    this.end();
  }

  /** Makes a block of what has gathered, whatever its size and age: its memory is needed. */
  hurry(): void {
    this.isHurried = true;
    this.wake();
  }

  /**
   * Begins no further block; resolves when the one under way is stored and committed. A failing block is left to the next
   * owner, who finds its intent.
   */
  finish(): Promise<void> {
    this.isFinishing = true;
    if (this.steps.isPausing) this.end();
    if (!this.protocol.isStoring) this.giveUpTurn();
    this.wake();
    return this.ended;
  }

  private async run(): Promise<void> {
    try {
      this.beginGathering();
      while (!this.isFinishing) {
        if (await this.isBlockDue()) {
          await this.takeTurn();
        } else {
          await this.confirmStored();
          this.beginGathering();
        }
      }
      await this.confirmStored();
    } catch (error) {
      if (!this.over.signal.aborted) throw error;
    } finally {
      this.aging.abort();
    }
  }

  /** Starts the age of the next block, which also gathers while the block before it is stored. */
  private beginGathering(): void {
    this.aging.abort();
    this.aging = new AbortController();
    this.isOld = false;
    this.isOverdue = false;
    this.after(this.storage.maxAgeMs(), () => (this.isOld = true));
  }

  /** Calls `then` after this time, unless another block gathers by then. */
  private after(ms: number, then: () => void): void {
    const { signal } = this.aging;
    const wake = () => {
      if (signal.aborted) return;
      then();
      this.wake();
    };
    this.storage.sleep(ms, signal).then(wake, () => undefined);
  }

  /** Resolves with true when a block is full or has reached its age; with false when there is none by then. */
  private async isBlockDue(): Promise<boolean> {
    // This timer starts only now: while the block before was stored, other partitions may have had the fetches.
    this.after(Math.max(maxFillMs, this.storage.maxAgeMs()), () => (this.isOverdue = true));
    try {
      for (;;) {
        this.throwIfOver();
        if (this.isFinishing) return false;
        const partial = this.isHurried || this.isOverdue || (this.isOld && !this.isFilling);
        const isDue = this.protocol.hasNext({ partial });
        if (isDue || partial) return isDue;
        await this.untilChanged();
      }
    } finally {
      this.isHurried = false;
    }
  }

  private get isFilling(): boolean {
    return this.storage.isFilling(this.protocol.place);
  }

  private async takeTurn(): Promise<void> {
    const endTurn = await this.turn();
    try {
      this.throwIfOver();
      const block = this.isFinishing ? undefined : this.protocol.takeNextBlock();
      this.beginGathering();
      if (block) await this.process(block, endTurn);
    } finally {
      endTurn();
    }
  }

  /**
   * 1. Intent. 2. Store. 3. Dead letters. Storing before the intent would let the next owner cut other blocks of the
   * same messages; a next intent before the dead letters would lose them.
   */
  private async process(block: Block, endTurn: () => void): Promise<void> {
    this.storage.progressed();
    await this.commit(this.protocol.makeIntentCommit());
    this.storage.passed('after-intent', block);
    const rejections = await this.storeOrCut(block, endTurn);
    if (rejections === undefined) return;
    this.storage.passed('after-insert', block);
    if (rejections.length > 0) await this.repeat('dead letters', () => this.storage.bury(block, rejections));
    this.storage.passed('after-dead-letters', block);
    this.protocol.noteStored();
    this.steps.blockDone();
    this.storage.progressed();
  }

  /** Resolves with the rejected messages of the block; with undefined when it was rejected whole and cut into pieces. */
  private async storeOrCut(block: Block, endTurn: () => void): Promise<Rejection[] | undefined> {
    const [message] = block.messages;
    try {
      return await this.repeat('block', (isRepeat) =>
        isRepeat ? this.laterAttempt(block) : this.firstAttempt(block, endTurn),
      );
    } catch (error) {
      if (!(error instanceof FinalError) || !message) throw error;
      return this.protocol.halveCurrent() ? undefined : [{ message, reason: error.message }];
    }
  }

  /** Ends the turn with the attempt: a pause before the next one must not keep others from theirs. */
  private firstAttempt(block: Block, endTurn: () => void): Promise<Rejection[]> {
    return this.storage.store(block).finally(endTurn);
  }

  private async laterAttempt(block: Block): Promise<Rejection[]> {
    const endTurn = await this.turn();
    try {
      this.throwIfOver();
      this.steps.attempt('block');
      return await this.storage.store({ ...block, replay: true });
    } finally {
      endTurn();
    }
  }

  private async turn(): Promise<() => void> {
    this.steps.attempt('turn');
    const { come, giveUp } = abandonableTurn(this.storage.turn(this.protocol.place));
    this.giveUpTurn = giveUp;
    const endTurn = await come;
    this.steps.over('turn');
    return endTurn;
  }

  private async confirmStored(): Promise<void> {
    if (this.storage.canCommit()) await this.commit(this.protocol.makeConfirmationCommit());
  }

  private async commit(commit: Commit | undefined): Promise<void> {
    if (!commit) return;
    await this.repeat('commit', () => this.storage.commit(this.protocol.place, commit));
    this.protocol.noteCommitted();
  }

  /**
   * Repeats the step until it succeeds, or the generation of the partition is over. `retry` checks that in the same tick
   * in which each `work` begins: a commit in a later tick could be one under the next generation.
   * @throws FinalError as `work` threw it; any other error only when the generation is over.
   */
  private async repeat<T>(step: PartitionStep, work: (isRepeat: boolean) => Promise<T>): Promise<T> {
    const attempt = (failures: number): Promise<T> => {
      this.steps.attempt(step);
      return work(failures > 0);
    };
    try {
      const result = await retry(attempt, {
        ...pauses,
        signal: this.over.signal,
        sleep: (ms, signal) => this.storage.sleep(ms, signal),
        while: (error) => !(error instanceof FinalError),
        onFailure: ({ error, pauseMs }) => this.failed(step, error, pauseMs),
      });
      this.settle(step);
      return result;
    } catch (error) {
      this.throwIfOver();
      this.settle(step);
      throw error;
    }
  }

  private failed(step: PartitionStep, error: unknown, pauseMs: number): void {
    this.steps.failedBy(step, error);
    if (this.isFinishing && this.steps.isPausing) this.end();
    this.storage.retrying(this.protocol.place, step, error, pauseMs);
    this.storage.progressed();
  }

  private settle(step: PartitionStep): void {
    if (this.steps.over(step)) this.storage.recovered(this.protocol.place);
  }

  private untilChanged(): Promise<void> {
    return new Promise((resolve) => {
      this.wake = resolve;
    });
  }

  private throwIfOver(): void {
    this.over.signal.throwIfAborted();
  }
}

/** A turn whose wait can be given up; a turn that comes after that ends at once. Keeps nothing else alive. */
function abandonableTurn(turn: Promise<() => void>): { come: Promise<() => void>; giveUp: () => void } {
  let isGivenUp = false;
  let giveUp = (): void => undefined;
  const come = new Promise<() => void>((resolve, reject) => {
    giveUp = () => {
      isGivenUp = true;
      resolve(() => undefined);
    };
    turn.then((end) => {
      if (isGivenUp) end();
      else resolve(end);
    }, reject);
  });
  return { come, giveUp };
}
