import { type WorkOwner, type WorkQueue } from '../../request/work-queue.js';

/** A piece of work that waits for its turn. */
export interface LaneWork {
  place: WorkQueue;
  /** Request that the work is for; none for an error without a request. */
  owner: WorkOwner | undefined;
  run: () => void;
  /** Runs in place of `run` when the work has waited for too long; undefined for work that has begun. */
  refuse: (() => void) | undefined;
  since: number;
}

/** Work that has waited for too long, and the lane that it was in. */
export interface LateWork {
  readonly lane: Lane;
  readonly work: LaneWork;
}

/**
 * Time that an idle source saves up at most: several small requests. A source that uses less than its part is next when
 * it has work, and does not wait for a round of all the others.
 */
const maxSavedMs = 2;
/** Number of lanes at which idle lanes without debt are forgotten. */
const maxIdle = 256;

/** The work of one source within a share. */
export class Lane {
  readonly waiting: LaneWork[] = [];
  /** Duration of its work, ms; starts close to the `reached` of its share when an idle lane gets work. */
  spent = 0;

  constructor(readonly source: string) {}

  /** Removes the oldest work that has not begun, if it arrived before `time`. */
  takeLate(time: number): LaneWork | undefined {
    // At most one piece of work of a lane has begun, and it is the first.
    const index = this.waiting[0]?.refuse === undefined ? 1 : 0;
    const oldest = this.waiting[index];
    if (oldest === undefined || oldest.since >= time) return undefined;
    this.waiting.splice(index, 1);
    return oldest;
  }
}

/**
 * A share of the time, divided among the sources that have work in it: the source that has used the least time is
 * next.
 */
export class ShareOfTime {
  private readonly lanes = new Map<string, Lane>();
  /** Lanes with work. */
  private readonly busy = new Set<Lane>();
  /** Duration of its work divided by its weight. */
  spent = 0;
  /** Highest `spent` of a lane whose work has run. */
  private reached = 0;

  constructor(readonly weight: number) {}

  get isIdle(): boolean {
    return this.busy.size === 0;
  }

  openLane(source: string): Lane {
    let lane = this.lanes.get(source);
    if (lane === undefined) {
      this.forget();
      lane = new Lane(source);
      this.lanes.set(source, lane);
    }
    if (lane.waiting.length === 0) lane.spent = Math.max(lane.spent, this.reached - maxSavedMs);
    return lane;
  }

  add(lane: Lane, work: LaneWork): void {
    lane.waiting.push(work);
    this.busy.add(lane);
  }

  /** Adds work that has begun: its source finishes it before it begins other work. */
  addFirst(lane: Lane, work: LaneWork): void {
    lane.waiting.unshift(work);
    this.busy.add(lane);
  }

  /** The lane that has used the least time, of those with work. */
  next(): Lane | undefined {
    let best: Lane | undefined;
    for (const lane of this.busy) if (best === undefined || lane.spent < best.spent) best = lane;
    return best;
  }

  shift(lane: Lane): LaneWork | undefined {
    const work = lane.waiting.shift();
    if (lane.waiting.length === 0) this.busy.delete(lane);
    return work;
  }

  begin(lane: Lane): void {
    this.reached = Math.max(this.reached, lane.spent);
  }

  charge(lane: Lane, ms: number): void {
    lane.spent += ms;
    this.spent += ms / this.weight;
  }

  /** Removes all work that arrived before `time` and has not begun. */
  takeLate(time: number): LateWork[] {
    const late: LateWork[] = [];
    for (const lane of this.busy) {
      for (let work = lane.takeLate(time); work; work = lane.takeLate(time)) late.push({ lane, work });
      if (lane.waiting.length === 0) this.busy.delete(lane);
    }
    return late;
  }

  private forget(): void {
    if (this.lanes.size < maxIdle) return;
    for (const [source, lane] of this.lanes)
      if (lane.waiting.length === 0 && lane.spent <= this.reached) this.lanes.delete(source);
  }
}
