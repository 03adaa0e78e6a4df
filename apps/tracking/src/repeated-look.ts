import { type LoggerService } from '@nestjs/common';
import { errorCode } from '@sluice/service';

/**
 * A look that the process takes next to its consumer: at once and then at an interval, and never twice at the same time.
 * The first of several failures is logged.
 */
export class RepeatedLook {
  private timer: NodeJS.Timeout | undefined;
  private currentLook: Promise<void> | undefined;
  private isFailing = false;

  /** @param failure what the log says of a look that fails */
  constructor(
    private readonly look: () => Promise<void>,
    private readonly logger: LoggerService,
    private readonly failure: string,
  ) {}

  start(intervalMs: number): void {
    this.timer = setInterval(() => this.beginLook(), intervalMs).unref();
    this.beginLook();
  }

  /** Begins no more looks. Resolves when the current one has ended. */
  async stop(): Promise<void> {
    clearInterval(this.timer);
    await this.currentLook;
  }

  private beginLook(): void {
    this.currentLook ??= this.tryLook().finally(() => (this.currentLook = undefined));
  }

  private async tryLook(): Promise<void> {
    try {
      await this.look();
      this.isFailing = false;
    } catch (error) {
      if (!this.isFailing) this.logger.warn({ msg: this.failure, code: errorCode(error) });
      this.isFailing = true;
    }
  }
}
