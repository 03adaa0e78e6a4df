import { setTimeout as sleep } from 'node:timers/promises';
import { FinalError } from '@sluice/contracts';
import { type Block, type BlockHandler, type Refusal } from './block.js';
import { type Commit } from './committed.js';
import { type FetchedBatch, type PartitionProtocol, type Taking } from './partition-protocol.js';
import { type Step, Steps } from './stuck.js';

/** A block that is still filling when it is old enough waits for more, but no longer than this (or its age). */
const longestFillMs = 5_000;
const firstPauseMs = 200;
const longestPauseMs = 10_000;

/** Where a process may die for a test; also the order in which a block passes them. */
export type BlockPoint = 'after-intent' | 'after-insert' | 'after-dead-letters';

/** What a partition needs of the world. Each may fail for any reason, having done its work or not. */
export interface BlockPorts {
  /** Commits for this partition, under the generation that is present in this very tick. */
  commit(commit: Commit): Promise<void>;
  store: BlockHandler;
  /** Resolves when the dead letters are acknowledged. */
  bury(block: Block, refusals: readonly Refusal[]): Promise<void>;
  /** Age at which a block is stored though it is not full. */
  maxAgeMs(): number;
  /** More of the log is about to be fetched: a block that is not full is worth waiting for. */
  isFilling(): boolean;
  /**
   * Resolves when it is this partition's turn to store, with what ends the turn. A block is cut off only then, so that
   * it grows for as long as others keep the table busy.
   */
  turn(): Promise<() => void>;
  /** Called before each repeated attempt. */
  retrying(what: Step, error: unknown, pauseMs: number): void;
  /** Called when a step works that had failed. */
  recovered?(what: Step): void;
  /** False while nothing can be committed yet because nothing was fetched. */
  canCommit?(): boolean;
  /** Called when the memory that is held, or what may be fetched, has changed. */
  progressed(): void;
  passed?(point: BlockPoint): void;
  /** Rejects when aborted. */
  sleep?(ms: number, signal: AbortSignal): Promise<unknown>;
}

/** Drives the block protocol of one partition from its assignment until it is over: one block at a time. */
export class PartitionBlocks {
  /** Resolves when nothing is done any more, be it finished or over. */
  readonly ended: Promise<void>;
  private readonly over = new AbortController();
  private isFinishing = false;
  /** Ends the wait for a turn without one. */
  private giveUpTurn: () => void = () => undefined;
  private isHurried = false;
  /** What gathers has its age: it waits only for more that is on its way. */
  private isOld = false;
  /** The block waits for nothing any more. */
  private isOverdue = false;
  /** Ends the timers of both. */
  private aging = new AbortController();
  private wake: () => void = () => undefined;

  /** `steps`: those of the same partition before, when it begins again. */
  constructor(
    readonly protocol: PartitionProtocol,
    private readonly ports: BlockPorts,
    readonly steps = new Steps(),
  ) {
    this.ended = this.run();
  }

  append(batch: FetchedBatch): Taking {
    const taking = this.protocol.append(batch);
    this.wake();
    return taking;
  }

  /** Another may have the partition from now on: nothing is committed and nothing begun any more. */
  end(): void {
    this.over.abort();
    this.aging.abort();
    this.giveUpTurn();
    this.wake();
  }

  /** As `end`, but what is stored is confirmed in passing, as long as this generation can still commit. */
  endAtRest(): void {
    const rest = this.over.signal.aborted ? undefined : this.protocol.rest();
    // Nobody waits for it: if it fails, the next owner asks the tables.
    if (rest) this.ports.commit(rest).catch(() => undefined);
    this.end();
  }

  /** What has gathered becomes a block now, though it is neither full nor old: its memory is needed. */
  hurry(): void {
    this.isHurried = true;
    this.wake();
  }

  /**
   * Begins no further block; resolves when the one under way is stored and committed. A failing one is left to the next
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
          await this.rest();
          this.beginGathering();
        }
      }
      await this.rest();
    } catch (error) {
      if (!this.over.signal.aborted) throw error;
    } finally {
      this.aging.abort();
    }
  }

  /** What is left, and what comes for the next block, is young from here on, also while the block before it is stored. */
  private beginGathering(): void {
    this.aging.abort();
    this.aging = new AbortController();
    this.isOld = false;
    this.isOverdue = false;
    this.after(this.ports.maxAgeMs(), () => (this.isOld = true));
  }

  /** Calls `then` after this time, if what gathers now still does. */
  private after(ms: number, then: () => void): void {
    const { signal } = this.aging;
    const wake = () => {
      if (signal.aborted) return;
      then();
      this.wake();
    };
    this.sleep(ms, signal).then(wake, () => undefined);
  }

  /** True when a block is full, or there is one at the end of its age; false when nothing came. */
  private async isBlockDue(): Promise<boolean> {
    // From here on: while the block before was stored, others may have had the lanes.
    this.after(Math.max(longestFillMs, this.ports.maxAgeMs()), () => (this.isOverdue = true));
    try {
      for (;;) {
        this.throwIfOver();
        if (this.isFinishing) return false;
        const partial = this.isHurried || this.isOverdue || (this.isOld && !this.ports.isFilling());
        const isDue = this.protocol.hasNext({ partial });
        if (isDue || partial) return isDue;
        await this.changed();
      }
    } finally {
      this.isHurried = false;
    }
  }

  private async takeTurn(): Promise<void> {
    const endTurn = await this.turn();
    try {
      this.throwIfOver();
      const block = this.isFinishing ? undefined : this.protocol.next();
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
    this.ports.progressed();
    await this.commit(this.protocol.begin());
    this.ports.passed?.('after-intent');
    const refusals = await this.store(block, endTurn);
    if (refusals === undefined) return;
    this.ports.passed?.('after-insert');
    if (refusals.length > 0) await this.repeat('dead letters', () => this.ports.bury(block, refusals));
    this.ports.passed?.('after-dead-letters');
    this.protocol.done();
    this.steps.blockDone();
    this.ports.progressed();
  }

  /** Returns what is refused of the block; undefined when all of it was, and it is cut into pieces that come next. */
  private async store(block: Block, endTurn: () => void): Promise<Refusal[] | undefined> {
    const [message] = block.messages;
    try {
      return await this.repeat('block', (isRepeat) =>
        isRepeat ? this.storeAgain(block) : this.storeFirst(block, endTurn),
      );
    } catch (error) {
      if (!(error instanceof FinalError) || !message) throw error;
      return this.protocol.cutUp() ? undefined : [{ message, reason: error.message }];
    }
  }

  /** The turn ends with the attempt: what waits to be repeated must not keep others from theirs. */
  private storeFirst(block: Block, endTurn: () => void): Promise<Refusal[]> {
    return this.ports.store(block).finally(endTurn);
  }

  private async storeAgain(block: Block): Promise<Refusal[]> {
    const endTurn = await this.turn();
    try {
      this.throwIfOver();
      this.steps.attempt('block');
      return await this.ports.store({ ...block, replay: true });
    } finally {
      endTurn();
    }
  }

  private async turn(): Promise<() => void> {
    this.steps.attempt('turn');
    const { come, giveUp } = awaited(this.ports.turn());
    this.giveUpTurn = giveUp;
    const endTurn = await come;
    this.steps.over('turn');
    return endTurn;
  }

  private async rest(): Promise<void> {
    if (this.ports.canCommit?.() ?? true) await this.commit(this.protocol.rest());
  }

  private async commit(commit: Commit | undefined): Promise<void> {
    if (!commit) return;
    await this.repeat('commit', () => this.ports.commit(commit));
    this.protocol.confirmed();
  }

  /**
   * Tries until it works. That this is not over is asked in the tick in which `work` begins, each time.
   * @throws FinalError as `work` threw it; anything else only when it is over.
   */
  private async repeat<T>(what: Step, work: (isRepeat: boolean) => Promise<T>): Promise<T> {
    for (let failures = 0; ; failures++) {
      this.throwIfOver();
      this.steps.attempt(what);
      try {
        const result = await work(failures > 0);
        this.settle(what);
        return result;
      } catch (error) {
        this.throwIfOver();
        if (error instanceof FinalError) {
          this.settle(what);
          throw error;
        }
        this.steps.failedBy(what, error);
        if (this.isFinishing && this.steps.isPausing) this.end();
        const pauseMs = Math.round(Math.min(firstPauseMs * 2 ** failures, longestPauseMs) * (0.5 + Math.random() / 2));
        this.ports.retrying(what, error, pauseMs);
        this.ports.progressed();
        await this.sleep(pauseMs, this.over.signal);
      }
    }
  }

  private settle(what: Step): void {
    if (this.steps.over(what)) this.ports.recovered?.(what);
  }

  private sleep(ms: number, signal: AbortSignal): Promise<unknown> {
    return this.ports.sleep ? this.ports.sleep(ms, signal) : sleep(ms, undefined, { signal });
  }

  private changed(): Promise<void> {
    return new Promise((resolve) => {
      this.wake = resolve;
    });
  }

  private throwIfOver(): void {
    this.over.signal.throwIfAborted();
  }
}

/** A turn whose wait can be given up; if it comes later, it ends at once. Keeps nothing else alive. */
function awaited(turn: Promise<() => void>): { come: Promise<() => void>; giveUp: () => void } {
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
