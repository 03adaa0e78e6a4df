import { type Clock } from '@sluice/sdk-core';

const maxTimerMs = 2 ** 31 - 1;

/** Time that passes many times as fast, so that hours of waiting are minutes of a test. */
export class ScaledClock {
  private readonly startedAt = performance.now();

  constructor(
    private readonly speed: number,
    private readonly beginsAt = Date.now(),
  ) {}

  monotonic(): number {
    return (performance.now() - this.startedAt) * this.speed;
  }

  /** The clock of a device that is wrong by `skew`; timers end with the client that set them. */
  clockFor(device: { readonly skewMs: number }, client: { readonly isAlive: boolean }): Clock {
    return {
      now: () => Math.floor(this.beginsAt + this.monotonic() + device.skewMs),
      monotonic: () => this.monotonic(),
      later: (ms, work) => {
        const timer = setTimeout(
          () => {
            if (client.isAlive) work();
          },
          Math.min(Math.max(0, ms) / this.speed, maxTimerMs),
        );
        return () => clearTimeout(timer);
      },
    };
  }
}
