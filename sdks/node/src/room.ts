import { type KeyValueStore, type SluiceError } from '@sluice/sdk-core';

/** Minimum time between two reports of a full queue, except the last. */
const reportEveryMs = 1_000;
/** Interval of a timer that keeps the process alive while a caller waits for room. */
const holdMs = 60_000;

interface Limits {
  readonly messages: number;
  readonly bytes: number;
}

/** Room in the queue: messages beyond it are refused, counted and reported. */
export class Room {
  private fill = 0;
  private refused = 0;
  private reporting: NodeJS.Timeout | undefined;
  private waiting: (() => void)[] = [];
  private hold: NodeJS.Timeout | undefined;

  constructor(
    private readonly limits: Limits,
    private readonly values: KeyValueStore,
    private readonly report: (error: SluiceError) => void,
  ) {}

  get isFull(): boolean {
    return this.fill >= 1;
  }

  get needsDrain(): boolean {
    return this.fill >= 0.5;
  }

  readonly changed = (messages: number, bytes: number): void => {
    this.fill = Math.max(messages / this.limits.messages, bytes / this.limits.bytes);
    if (this.fill <= 0.25) this.release();
  };

  drained(): Promise<void> {
    if (!this.needsDrain) return Promise.resolve();
    this.hold ??= setInterval(() => undefined, holdMs);
    return new Promise((resolve) => {
      this.waiting.push(resolve);
    });
  }

  /** Counts a message that found no room. The first such message is reported at once, further messages together once a second. */
  refuse(): void {
    this.refused++;
    if (this.reporting) return;
    this.reportRefused();
    this.reporting = setTimeout(() => {
      this.reporting = undefined;
      this.reportRefused();
    }, reportEveryMs);
    this.reporting.unref();
  }

  end(): void {
    clearTimeout(this.reporting);
    this.reporting = undefined;
    this.reportRefused();
    this.release();
  }

  private reportRefused(): void {
    if (this.refused === 0) return;
    const count = this.refused;
    this.refused = 0;
    this.values.set('lost', String((Number(this.values.get('lost')) || 0) + count));
    this.report({ code: 'overflow', message: 'the queue is full', count });
  }

  private release(): void {
    clearInterval(this.hold);
    this.hold = undefined;
    const waiting = this.waiting;
    this.waiting = [];
    for (const resolve of waiting) resolve();
  }
}
