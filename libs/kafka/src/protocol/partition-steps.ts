import { errorCode, errorShard } from '@sluice/service';

/** Work of a partition that can fail or last for ever. `undecodable`: a batch of its log cannot be read. */
export type PartitionStep = 'turn' | 'commit' | 'block' | 'dead letters' | 'undecodable';

/** Reason why a partition is stuck. */
export interface Stuck {
  readonly step: PartitionStep;
  /** A short word for the last failure, never a message; `no_answer` while the first attempt has none yet. */
  readonly code: string;
  /** The shard of ClickHouse that failed; undefined where it is one server, and while there is no answer. */
  readonly shard?: string | undefined;
  /** Start of the failing step, milliseconds of `performance.now()`. */
  readonly since: number;
}

/** Duration after which an attempt without an answer counts as stuck; it may still succeed. */
export const slowMs = 10_000;

/** Present and failed steps of a partition. Outlives the block, so that a block that is fetched again keeps its history. */
export class PartitionSteps {
  private present: { readonly step: PartitionStep; readonly since: number; attemptAt: number | undefined } | undefined;
  private readonly failed = new Map<PartitionStep, Stuck>();
  private isTrusted = false;

  /** Notes that an attempt begins; `turn` is the wait for a turn. */
  attempt(step: PartitionStep, now = performance.now()): void {
    const since = this.present?.step === step ? this.present.since : now;
    this.present = { step, since, attemptAt: now };
  }

  /** Notes that the attempt failed and another one follows. */
  failedBy(step: PartitionStep, error: unknown, now = performance.now()): void {
    const isPresent = this.present?.step === step;
    const since = this.failed.get(step)?.since ?? (isPresent ? this.present?.since : undefined) ?? now;
    this.failed.set(step, { step, since, code: errorCode(error), shard: errorShard(error) });
    this.isTrusted = false;
    if (isPresent && this.present) this.present.attemptAt = undefined;
  }

  /** Notes that the step succeeded. Returns true when it had failed before or lasted too long. */
  over(step: PartitionStep, now = performance.now()): boolean {
    const wasSlow = this.present?.step === step && this.slowAt(now) !== undefined;
    if (this.present?.step === step) this.present = undefined;
    return this.failed.delete(step) || wasSlow;
  }

  /** Forgets the failures of the block, which is done. */
  blockDone(): void {
    this.failed.delete('block');
    this.failed.delete('dead letters');
  }

  /** Ends the suspicion until the next failure, because this or another partition of the topic succeeds again. */
  trust(): void {
    this.isTrusted = true;
  }

  /** True when the block failed and is not being sent to the table or the dead letters now. */
  get isPausing(): boolean {
    if (!this.failed.has('block') && !this.failed.has('dead letters')) return false;
    return this.present?.step === 'turn' || (this.present !== undefined && this.present.attemptAt === undefined);
  }

  /** Milliseconds since the present attempt began; 0 when there is none. A wait for a turn is not an attempt. */
  attemptMs(now = performance.now()): number {
    if (this.present?.attemptAt === undefined || this.present.step === 'turn') return 0;
    return now - this.present.attemptAt;
  }

  /** The oldest failing step; else an attempt that lasts too long. */
  stuckAt(now = performance.now()): Stuck | undefined {
    return [...this.failed.values()].sort((a, b) => a.since - b.since)[0] ?? this.slowAt(now);
  }

  /** True when the block is stuck, so that it must not take memory from others. */
  isSuspectAt(now = performance.now()): boolean {
    const { failed } = this;
    if (this.slowAt(now)) return true;
    return !this.isTrusted && (failed.has('block') || failed.has('dead letters') || failed.has('commit'));
  }

  private slowAt(now: number): Stuck | undefined {
    const { step, since, attemptAt } = this.present ?? {};
    if (step === undefined || since === undefined || attemptAt === undefined) return undefined;
    return now - attemptAt < slowMs ? undefined : { step, since, code: 'no_answer' };
  }
}
