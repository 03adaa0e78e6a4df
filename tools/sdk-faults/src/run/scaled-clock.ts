import { type Clock } from '@sluice/sdk-core';

const longestTimerMs = 2 ** 31 - 1;

/** Time that passes many times as fast, so that hours of waiting are minutes of a test. */
export class ScaledClock {
  private startedAt = performance.now();
  private elapsed = 0;

  constructor(
    private speed: number,
    private readonly beginsAt = Date.now(),
  ) {}

  /** Timers that run already keep their pace. */
  setSpeed(speed: number): void {
    this.elapsed = this.monotonic();
    this.startedAt = performance.now();
    this.speed = speed;
  }

  monotonic(): number {
    return this.elapsed + (performance.now() - this.startedAt) * this.speed;
  }

  /** The clock of a device that is wrong by `skew`; timers end with the client that set them. */
  of(device: { readonly skewMs: number }, client: { readonly isAlive: boolean }): Clock {
    return {
      now: () => Math.floor(this.beginsAt + this.monotonic() + device.skewMs),
      monotonic: () => this.monotonic(),
      later: (ms, work) => {
        const timer = setTimeout(
          () => {
            if (client.isAlive) work();
          },
          Math.min(Math.max(0, ms) / this.speed, longestTimerMs),
        );
        return () => {
          clearTimeout(timer);
        };
      },
    };
  }
}
