import { setTimeout as sleep } from 'node:timers/promises';

/** Spaces messages evenly, at most `perSecond`. After a slow spell it catches up on one second at most. */
export class MessagePace {
  private nextTime = performance.now();

  constructor(private readonly perSecond: number | undefined) {}

  async wait(messages: number): Promise<void> {
    if (this.perSecond === undefined || messages === 0) return;
    const now = performance.now();
    const sendTime = Math.max(this.nextTime, now - 1_000);
    this.nextTime = sendTime + (messages / this.perSecond) * 1_000;
    if (sendTime > now) await sleep(sendTime - now);
  }
}
