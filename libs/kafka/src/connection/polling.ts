import { type Logger } from '@nestjs/common';

/** Repeats a piece of work, with a pause after each run. A failed run is logged, and the next one follows. */
export class Polling {
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly logger: Logger,
    /** Log message of a failed run. */
    private readonly failed: string,
    private readonly pauseMs: number,
  ) {}

  start(work: () => Promise<void>): void {
    const poll = (): void => {
      work()
        .catch((error: unknown) => this.logger.debug({ msg: this.failed, error: String(error) }))
        .finally(() => {
          if (this.timer) this.timer = setTimeout(poll, this.pauseMs).unref();
        });
    };
    this.timer = setTimeout(poll, 0).unref();
  }

  stop(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
  }
}
