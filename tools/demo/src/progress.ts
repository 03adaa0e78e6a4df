import { type SentCounts } from './sending/tally.js';

const intervalMs = { terminal: 500, file: 10_000 };

/** Shows the progress in one line, which is rewritten in a terminal and repeated every ten seconds in a file. */
export class DemoProgress {
  private readonly startedAt = performance.now();
  private readonly timer: NodeJS.Timeout;
  private lastShown = { messages: 0, time: this.startedAt };

  constructor(
    private readonly sent: () => SentCounts,
    private readonly stream: NodeJS.WriteStream,
  ) {
    const interval = stream.isTTY ? intervalMs.terminal : intervalMs.file;
    this.timer = setInterval(() => this.show(), interval);
  }

  stop(): void {
    clearInterval(this.timer);
    this.show();
    if (this.stream.isTTY) this.stream.write('\n');
  }

  private show(): void {
    const { messages, requests, repeats, events } = this.sent();
    const now = performance.now();
    const rate = ((messages - this.lastShown.messages) / Math.max(now - this.lastShown.time, 1)) * 1_000;
    this.lastShown = { messages, time: now };
    const seconds = ((now - this.startedAt) / 1_000).toFixed(0).padStart(5);
    const counts = [
      `${formatNumber(messages)} messages`,
      `${formatNumber(events)} events`,
      `${formatNumber(requests)} requests`,
    ];
    const repeatsText = repeats > 0 ? [`${formatNumber(repeats)} sent again`] : [];
    const line = `${seconds} s  ${[...counts, `${formatNumber(Math.round(rate))} messages/s`, ...repeatsText].join(', ')}`;
    this.stream.write(this.stream.isTTY ? `\r\x1b[K${line}` : `${line}\n`);
  }
}

const formatNumber = (value: number): string => value.toLocaleString('en-US');
