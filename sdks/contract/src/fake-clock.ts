import { setImmediate } from 'node:timers/promises';

interface Timer {
  readonly at: number;
  readonly order: number;
  readonly work: () => void;
}

/** Time that passes only when it is told to. */
export class FakeClock {
  private elapsed = 0;
  private order = 0;
  private timers: Timer[] = [];

  /** @param settle waits until nothing goes on but timers */
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
    const timer = { at: this.elapsed + Math.max(0, ms), order: this.order++, work };
    this.timers.push(timer);
    return () => {
      this.timers = this.timers.filter((one) => one !== timer);
    };
  }

  /** The user sets the clock: timers do not notice. */
  set(time: number): void {
    this.wall = time - this.elapsed;
  }

  /** When the next timer fires, in milliseconds from now; undefined when there is none. */
  get next(): number | undefined {
    const first = this.first();
    return first && first.at - this.elapsed;
  }

  /** Lets time pass; timers fire in their order, and what they begin goes on until it waits. */
  async advance(ms: number): Promise<void> {
    const end = this.elapsed + ms;
    await this.settle();
    for (let timer = this.first(); timer && timer.at <= end; timer = this.first()) {
      this.elapsed = Math.max(this.elapsed, timer.at);
      const fired = timer;
      this.timers = this.timers.filter((one) => one !== fired);
      fired.work();
      await this.settle();
    }
    this.elapsed = end;
  }

  private first(): Timer | undefined {
    return this.timers.reduce<Timer | undefined>(
      (best, timer) =>
        best && (best.at < timer.at || (best.at === timer.at && best.order < timer.order)) ? best : timer,
      undefined,
    );
  }
}
