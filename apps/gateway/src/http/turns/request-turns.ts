import { type WorkOwner, type WorkQueue, type WorkShare } from '../../request/work-queue.js';
import { type Lane, type LateWork, ShareOfTime, type LaneWork } from './source-lanes.js';

/** Wait after which work is refused, so that its client knows within a second. */
export const maxWaitMs = 750;
/** Time between two looks for work that has waited for too long. */
const lookForLateMs = 50;
/** Part of a turn that refusals of late work may take. */
const latePart = 0.3;
/** Time for which the refusal of a source's late work is remembered. */
const lateMs = 1_000;
/** Upper bound of a turn's work while all of it is of one source: in a long turn, more messages share a send. */
const longTurnMs = 5;
/** The same while several sources have work: a request takes some four turns, each of which the others may fill. */
const shortTurnMs = 1;
/** Time for which turns stay short after work of another source. */
const sharedMs = 1_000;
/** Part of a turn that work without a key may take. */
const keylessPart = 0.4;
/** Unmeasured cost of a piece of work: its answer and its promises. */
const hiddenMs = 0.02;
/** Weight of the latest turn in the average of what a keyless piece costs after its turn. */
const latestWeight = 0.2;

const weights: Readonly<Record<WorkShare, number>> = { small: 4, large: 4, keyless: 1 };

export interface TurnsOptions {
  /** Called with the time that a piece of work took and had waited. */
  onDone?: (place: WorkQueue, ms: number, waitedMs: number) => void;
}

/**
 * Bounds the work of one turn of the event loop, and divides it among the shares, and each share among its sources.
 * Node accepts one connection in each turn, and reads each ready socket once: while turns are long, new connections
 * wait for many of them, and small requests behind large ones. Small work runs at once unless the turn is spent or
 * other work waits; large and keyless work always waits. Each source keeps its order; the share, and in it the source,
 * that has used the least time is next.
 */
export class RequestTurns {
  private readonly shares: Readonly<Record<WorkShare, ShareOfTime>> = {
    small: new ShareOfTime(weights.small),
    large: new ShareOfTime(weights.large),
    keyless: new ShareOfTime(weights.keyless),
  };
  private readonly names = Object.keys(weights) as WorkShare[];
  private waiting = 0;
  /** Highest `spent` of a share whose work has run; an idle share starts there. */
  private reached = 0;
  /** The source whose work ran last. */
  private latestSource = '';
  private sharedUntil = 0;
  private isScheduled = false;
  private startedAt = 0;
  private accepted = false;
  private acceptingSince: number | undefined;
  /** The lane of each piece of keyless work of this turn; the promises of these pieces are settled after it. */
  private keylessDone: Lane[] = [];
  private turnEndedAt = 0;
  /** Whether keyless work has come lately, so that the promises after a turn are measured. */
  private isKeylessSeen = false;
  /** Average time that a keyless piece takes after its turn. */
  private keylessAfterMs = 0;
  /** Work to be refused, because it has waited for too long. */
  private late: LateWork[] = [];
  private lookedForLateAt = 0;
  /** When work of a source was last found late, by share. */
  private readonly lateSources: Readonly<Record<WorkShare, Map<string, number>>> = {
    small: new Map(),
    large: new Map(),
    keyless: new Map(),
  };

  constructor(private readonly options: TurnsOptions = {}) {}

  /** Upper bound of the work in one turn, and of what one request does in it, ms. */
  get turnMs(): number {
    return this.turnMsAt(performance.now());
  }

  private turnMsAt(now: number): number {
    return now < this.sharedUntil ? shortTurnMs : longTurnMs;
  }

  /**
   * Runs the work now or in its turn; `refuse` instead when the turn has not come in time. A client that is refused has
   * waited until then, so however fast it comes back, its refusals take little time. Runs neither when the owner is gone.
   */
  take(place: WorkQueue, run: () => void, refuse: () => void, owner?: WorkOwner): void {
    const now = performance.now();
    const share = this.shares[place.share];
    // An idle share saves up no time.
    if (share.isIdle) share.spent = Math.max(share.spent, this.reached);
    const lane = share.openLane(place.source);
    if (place.share === 'keyless') this.isKeylessSeen = true;
    this.schedule(now);
    if (this.mayRunNow(place.share, now)) {
      share.begin(lane);
      this.work(lane, { place, owner, run, refuse, since: now }, now);
      return;
    }
    share.add(lane, { place, owner, run, refuse, since: now });
    this.waiting += 1;
  }

  /** Continues work that has begun, in a later turn and before other work of its source. */
  again(place: WorkQueue, run: () => void, owner?: WorkOwner): void {
    const now = performance.now();
    const share = this.shares[place.share];
    if (share.isIdle) share.spent = Math.max(share.spent, this.reached);
    share.addFirst(share.openLane(place.source), { place, owner, run, refuse: undefined, since: now });
    this.waiting += 1;
    this.schedule(now);
  }

  /** Whether other sources of the share have lately waited for too long as well. */
  areOthersLate({ share, source }: WorkQueue): boolean {
    const since = performance.now() - lateMs;
    for (const [otherSource, time] of this.lateSources[share]) if (otherSource !== source && time > since) return true;
    return false;
  }

  /** Must be called for each new connection: others may wait to be accepted, and each turn accepts only one. */
  connected(): void {
    this.accepted = true;
    this.schedule(performance.now());
  }

  /** Keyless work always waits for its turn, because the time of its promises is measured after a turn. */
  private mayRunNow(share: WorkShare, now: number): boolean {
    return share === 'small' && this.waiting === 0 && !this.accepted && now - this.startedAt < this.turnMsAt(now);
  }

  private schedule(now: number): void {
    if (this.isScheduled) return;
    this.isScheduled = true;
    this.startedAt = now;
    setImmediate(this.turn);
    // Runs right after the promises of the turn: Node settles them between two immediates.
    if (this.isKeylessSeen) setImmediate(this.chargePromises);
  }

  private readonly turn = (): void => {
    this.isScheduled = false;
    const now = performance.now();
    const turnMs = this.turnMsAt(now);
    if (!this.leavesToAccept(now, turnMs)) {
      this.refuseLateUntil(now, now + turnMs * latePart);
      this.workUntil(now + turnMs, now + turnMs * keylessPart);
    }
    this.accepted = false;
    this.turnEndedAt = performance.now();
    // The next turn begins now: reading sockets counts as part of it.
    if (this.waiting > 0) this.schedule(this.turnEndedAt);
  };

  /** Charges what the promises of keyless work have taken: Nest runs its handlers in them. */
  private readonly chargePromises = (): void => {
    if (this.keylessDone.length === 0) {
      this.isKeylessSeen = !this.shares.keyless.isIdle;
      return;
    }
    const eachMs = (performance.now() - this.turnEndedAt) / this.keylessDone.length;
    for (const lane of this.keylessDone) this.shares.keyless.charge(lane, eachMs);
    this.keylessAfterMs += latestWeight * (eachMs - this.keylessAfterMs);
    this.keylessDone = [];
  };

  /** Whether this turn is left to accept connections: while connections and work both wait, each gets half the time. */
  private leavesToAccept(now: number, turnMs: number): boolean {
    if (!this.accepted) {
      this.acceptingSince = undefined;
      return false;
    }
    this.acceptingSince ??= now;
    if (now - this.acceptingSince < turnMs) return true;
    this.acceptingSince = undefined;
    return false;
  }

  /**
   * Refuses what has waited for too long, in the order of arrival within each source. It does not mark how far the share
   * has come: late work is not the next one of its share.
   */
  private refuseLateUntil(now: number, end: number): void {
    if (this.waiting > this.late.length && now - this.lookedForLateAt >= lookForLateMs) this.findLate(now);
    for (let time = now; time < end;) {
      const oldest = this.late.shift();
      if (oldest === undefined) return;
      const { lane, work } = oldest;
      this.waiting -= 1;
      time = this.work(lane, { ...work, run: work.refuse ?? work.run }, time);
    }
  }

  private findLate(now: number): void {
    this.lookedForLateAt = now;
    for (const share of this.names) {
      const late = this.shares[share].takeLate(now - maxWaitMs);
      const sources = this.lateSources[share];
      if (late.length > 0) for (const [source, time] of sources) if (time < now - lateMs) sources.delete(source);
      for (const { lane } of late) sources.set(lane.source, now);
      this.late.push(...late);
    }
  }

  private workUntil(end: number, keylessEnd: number): void {
    let now = performance.now();
    while (this.waiting > 0 && now < end) {
      const name = this.next();
      if (name === 'keyless' && now + this.keylessDone.length * this.keylessAfterMs >= keylessEnd) return;
      const share = this.shares[name];
      const lane = share.next();
      const work = lane && share.shift(lane);
      if (lane === undefined || work === undefined) return;
      this.waiting -= 1;
      share.begin(lane);
      now = this.work(lane, work, now);
    }
  }

  private work(lane: Lane, { place, owner, run, since }: LaneWork, startedAt: number): number {
    if (owner !== undefined && (owner.socket.destroyed || owner.isBroken)) return startedAt;
    if (this.latestSource !== '' && place.source !== this.latestSource) this.sharedUntil = startedAt + sharedMs;
    this.latestSource = place.source;
    const share = this.shares[place.share];
    this.reached = Math.max(this.reached, share.spent);
    if (place.share === 'keyless') this.keylessDone.push(lane);
    run();
    const now = performance.now();
    share.charge(lane, now - startedAt + hiddenMs);
    this.options.onDone?.(place, now - startedAt, startedAt - since);
    return now;
  }

  /** The share that has used the least time, of those with work. */
  private next(): WorkShare {
    let best: WorkShare = 'small';
    for (const name of this.names) {
      const share = this.shares[name];
      if (!share.isIdle && (this.shares[best].isIdle || share.spent < this.shares[best].spent)) best = name;
    }
    return best;
  }
}
