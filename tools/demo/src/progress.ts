import { type Sent } from './sending/tally.js';

const everyMs = { terminal: 500, file: 10_000 };

/** Shows the progress in one line, which is rewritten in a terminal and repeated every ten seconds in a file. */
export class Progress {
  private readonly startedAt = performance.now();
  private readonly timer: NodeJS.Timeout;
  private last = { messages: 0, at: this.startedAt };

  constructor(
    private readonly sent: () => Sent,
    private readonly stream: NodeJS.WriteStream,
  ) {
    const every = stream.isTTY ? everyMs.terminal : everyMs.file;
    this.timer = setInterval(() => this.show(), every);
  }

  stop(): void {
    clearInterval(this.timer);
    this.show();
    if (this.stream.isTTY) this.stream.write('\n');
  }

  private show(): void {
    const { messages, requests, repeats, events } = this.sent();
    const now = performance.now();
    const rate = ((messages - this.last.messages) / Math.max(now - this.last.at, 1)) * 1_000;
    this.last = { messages, at: now };
    const seconds = ((now - this.startedAt) / 1_000).toFixed(0).padStart(5);
    const counts = [`${number(messages)} messages`, `${number(events)} events`, `${number(requests)} requests`];
    const again = repeats > 0 ? [`${number(repeats)} sent again`] : [];
    const line = `${seconds} s  ${[...counts, `${number(Math.round(rate))} messages/s`, ...again].join(', ')}`;
    this.stream.write(this.stream.isTTY ? `\r\x1b[K${line}` : `${line}\n`);
  }
}

const number = (value: number): string => value.toLocaleString('en-US');
