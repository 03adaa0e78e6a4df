/** A request that would wait longer is refused at once. */
const longestWaitMs = 2_000;
/** Upper bound of the work in one turn of the event loop. */
const turnMs = 5;
/** Upper bound of the work without a key in one turn. */
const keylessTurnMs = 2;
/** Unmeasured cost of a piece of work: its answer and its promises. */
const hiddenMs = 0.02;

/**
 * Class of work that shares the time: small bodies with a key, large ones with a key (a maximal batch takes many
 * milliseconds), and everything without a valid key.
 */
export type Share = 'small' | 'large' | 'keyless';
const weights: Readonly<Record<Share, number>> = { small: 4, large: 4, keyless: 1 };

interface Work {
  run: () => void;
  since: number;
}

class Queue {
  readonly waiting: Work[] = [];
  /** Duration of its work divided by its weight; starts at `reached` when an idle queue gets work. */
  spent = 0;

  constructor(readonly weight: number) {}

  charge(ms: number): void {
    this.spent += (ms + hiddenMs) / this.weight;
  }
}

/**
 * Bounds the work of one turn of the event loop, and divides it among the shares. Node accepts one connection in each
 * turn, and reads each ready socket once: while turns are long, new connections wait for many of them, and small
 * requests behind large ones. Work waits when the turn is spent or other work waits. Each share keeps its order; the
 * share that has used the least time is next.
 */
export class RequestTurns {
  private readonly queues: Readonly<Record<Share, Queue>> = {
    small: new Queue(weights.small),
    large: new Queue(weights.large),
    keyless: new Queue(weights.keyless),
  };
  private readonly all = Object.values(this.queues);
  private waiting = 0;
  /** Highest `spent` of a queue whose work has run; an idle queue starts there. */
  private reached = 0;
  private isScheduled = false;
  private startedAt = 0;
  private accepted = false;
  private acceptingSince: number | undefined;

  /** Runs the work now or in its turn. Returns false when the wait would be too long. */
  take(share: Share, run: () => void): boolean {
    const now = performance.now();
    const queue = this.queues[share];
    const [first] = queue.waiting;
    // An idle share saves up no time.
    if (!first) queue.spent = Math.max(queue.spent, this.reached);
    this.schedule(now);
    if (this.waiting === 0 && !this.accepted && share !== 'large' && now - this.startedAt < limitOf(share)) {
      this.work(queue, run, now);
      return true;
    }
    if (first && now - first.since > longestWaitMs) return false;
    queue.waiting.push({ run, since: now });
    this.waiting += 1;
    return true;
  }

  /** Must be called for each new connection: others may wait to be accepted, and each turn accepts only one. */
  connected(): void {
    this.accepted = true;
    this.schedule(performance.now());
  }

  private schedule(now: number): void {
    if (this.isScheduled) return;
    this.isScheduled = true;
    this.startedAt = now;
    setImmediate(this.turn);
  }

  private readonly turn = (): void => {
    this.isScheduled = false;
    const now = performance.now();
    if (!this.leavesToAccept(now)) this.workUntil(now + turnMs, now + keylessTurnMs);
    this.accepted = false;
    // The next turn begins now: reading sockets counts as part of it.
    if (this.waiting > 0) this.schedule(performance.now());
  };

  /** Gives connections and work turns of the same length while both wait. */
  private leavesToAccept(now: number): boolean {
    if (!this.accepted) {
      this.acceptingSince = undefined;
      return false;
    }
    this.acceptingSince ??= now;
    if (now - this.acceptingSince < turnMs) return true;
    this.acceptingSince = undefined;
    return false;
  }

  private workUntil(end: number, keylessEnd: number): void {
    let now = performance.now();
    while (this.waiting > 0 && now < end) {
      const queue = this.next();
      if (queue === this.queues.keyless && now >= keylessEnd) return;
      const work = queue.waiting.shift();
      if (!work) return;
      this.waiting -= 1;
      now = this.work(queue, work.run, now);
    }
  }

  private work(queue: Queue, run: () => void, startedAt: number): number {
    this.reached = Math.max(this.reached, queue.spent);
    run();
    const now = performance.now();
    queue.charge(now - startedAt);
    return now;
  }

  /** The queue with work that has used the least time. */
  private next(): Queue {
    let best: Queue = this.queues.small;
    for (const queue of this.all)
      if (queue.waiting.length > 0 && (best.waiting.length === 0 || queue.spent < best.spent)) best = queue;
    return best;
  }
}

const limitOf = (share: Share): number => (share === 'keyless' ? keylessTurnMs : turnMs);
