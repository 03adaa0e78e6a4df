import { setImmediate } from 'node:timers/promises';

interface Timer {
  readonly due: number;
  readonly order: number;
  readonly work: () => void;
}

/** A clock on which time passes only by `advance`. */
export class FakeClock {
  private elapsed = 0;
  private order = 0;
  private timers: Timer[] = [];

  /** @param settle waits until nothing is left but timers */
  constructor(
    private wall: number,
    private readonly settle: () => Promise<unknown> = setImmediate,
  ) {}

  now(): number {
    return this.wall + this.elapsed;
  }

  monotonic(): number {
    return this.elapsed;
  }

  later(ms: number, work: () => void): () => void {
    const timer = { due: this.elapsed + Math.max(0, ms), order: this.order++, work };
    this.timers.push(timer);
    return () => {
      this.timers = this.timers.filter((waiting) => waiting !== timer);
    };
  }

  /** Sets the wall clock, like a user; timers are not affected. */
  set(time: number): void {
    this.wall = time - this.elapsed;
  }

  /** Milliseconds until the next timer fires; undefined without a timer. */
  get next(): number | undefined {
    const first = this.first();
    return first && first.due - this.elapsed;
  }

  /** Lets time pass. Timers fire in order; each one's work runs as far as it can before the next fires. */
  async advance(ms: number): Promise<void> {
    const end = this.elapsed + ms;
    await this.settle();
    for (let timer = this.first(); timer && timer.due <= end; timer = this.first()) {
      this.elapsed = Math.max(this.elapsed, timer.due);
      const fired = timer;
      this.timers = this.timers.filter((waiting) => waiting !== fired);
      fired.work();
      await this.settle();
    }
    this.elapsed = end;
  }

  private first(): Timer | undefined {
    return this.timers.reduce<Timer | undefined>(
      (best, timer) =>
        best && (best.due < timer.due || (best.due === timer.due && best.order < timer.order)) ? best : timer,
      undefined,
    );
  }
}
