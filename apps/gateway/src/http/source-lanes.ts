import { type Owner, type Place } from '../request/place.js';

/** A piece of work that waits for its turn. */
export interface Work {
  place: Place;
  /** Request that the work is for; none for an error without a request. */
  owner: Owner | undefined;
  run: () => void;
  /** Runs in place of `run` if older work of the source has waited for too long; undefined for work that has begun. */
  refuse: (() => void) | undefined;
  since: number;
}

/** Number of lanes at which idle lanes without debt are forgotten. */
const maxIdle = 256;

/** The work of one source within a share. */
export class Lane {
  readonly waiting: Work[] = [];
  /** Duration of its work, ms; starts at the `reached` of its share when an idle lane gets work. */
  spent = 0;

  constructor(readonly source: string) {}

  /** Arrival of the oldest work that has not begun; `now` when there is none. */
  oldest(now: number): number {
    const [first, second] = this.waiting;
    // At most one piece of work of a lane has begun, and it is the first.
    return (first?.refuse ? first.since : second?.since) ?? now;
  }
}

/**
 * A share of the time, divided among the sources that have work in it: the source that has used the least time is
 * next. An idle source saves up no time.
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

  laneOf(source: string): Lane {
    let lane = this.lanes.get(source);
    if (lane === undefined) {
      this.forget();
      lane = new Lane(source);
      this.lanes.set(source, lane);
    }
    if (lane.waiting.length === 0) lane.spent = Math.max(lane.spent, this.reached);
    return lane;
  }

  add(lane: Lane, work: Work): void {
    lane.waiting.push(work);
    this.busy.add(lane);
  }

  /** Adds work that has begun: its source finishes it before it begins other work. */
  addFirst(lane: Lane, work: Work): void {
    lane.waiting.unshift(work);
    this.busy.add(lane);
  }

  /** The lane that has used the least time, of those with work. */
  next(): Lane | undefined {
    let best: Lane | undefined;
    for (const lane of this.busy) if (best === undefined || lane.spent < best.spent) best = lane;
    return best;
  }

  shift(lane: Lane): Work | undefined {
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

  /** Whether work of another source has waited since before `time`. */
  othersWaitSince(time: number, source: string): boolean {
    for (const lane of this.busy) if (lane.source !== source && lane.oldest(time) < time) return true;
    return false;
  }

  private forget(): void {
    if (this.lanes.size < maxIdle) return;
    for (const [source, lane] of this.lanes)
      if (lane.waiting.length === 0 && lane.spent <= this.reached) this.lanes.delete(source);
  }
}
