import { setTimeout as sleep } from 'node:timers/promises';

/** Spaces messages evenly, at most `perSecond`. After a slow spell it catches up on one second at most. */
export class Pace {
  private nextAt = performance.now();

  constructor(private readonly perSecond: number | undefined) {}

  async wait(messages: number): Promise<void> {
    if (this.perSecond === undefined || messages === 0) return;
    const now = performance.now();
    const at = Math.max(this.nextAt, now - 1_000);
    this.nextAt = at + (messages / this.perSecond) * 1_000;
    if (at > now) await sleep(at - now);
  }
}
