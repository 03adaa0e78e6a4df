import { ServerProcess, type ServerSpec } from '@sluice/testing';
import { setTimeout as delay } from 'node:timers/promises';

export interface Observer {
  /** Before the server is ready; awaited. */
  spawned(name: string, pid: number): Promise<void>;
  died(spec: ServerSpec, how: string, restartInMs: number): void;
  /** It answers again after it died. */
  recovered(spec: ServerSpec): void;
}

export interface RestartBackoff {
  readonly firstMs: number;
  readonly maxMs: number;
  /** A run at least this long was a good one: the next wait is the first again. */
  readonly goodRunMs: number;
}

const defaultBackoff: RestartBackoff = { firstMs: 250, maxMs: 10_000, goodRunMs: 30_000 };
const readyWithinMs = 60_000;

/** Keeps one server running, on the same ports, until `stopping` is aborted. */
export class SupervisedServer {
  private process: ServerProcess | undefined;
  private supervision: Promise<void> | undefined;

  constructor(
    readonly spec: ServerSpec,
    private readonly stopping: AbortSignal,
    private readonly observer: Observer,
    private readonly backoff: RestartBackoff = defaultBackoff,
  ) {}

  /** Returns when the server is ready. A first start that fails is not repeated: ServerStartError. */
  async start(): Promise<void> {
    const process = await this.run();
    await process.untilReady(readyWithinMs);
    this.supervision = this.supervise(process);
  }

  /** To be called after `stopping` was aborted; SIGKILL after `graceMs`. */
  async stop(graceMs: number): Promise<void> {
    await this.process?.stop(graceMs);
    await this.supervision;
  }

  private async run(): Promise<ServerProcess> {
    this.stopping.throwIfAborted();
    const process = await ServerProcess.spawn(this.spec);
    this.process = process;
    await this.observer.spawned(this.spec.name, process.pid);
    if (this.stopping.aborted) await process.stop();
    return process;
  }

  private async supervise(first: ServerProcess): Promise<void> {
    const { firstMs, maxMs, goodRunMs } = this.backoff;
    let waitMs = firstMs;
    let how = await first.ended;
    while (!this.stopping.aborted) {
      this.observer.died(this.spec, how, waitMs);
      await delay(waitMs, undefined, { signal: this.stopping }).catch(() => undefined);
      const startedAt = Date.now();
      how = await this.runAgain();
      waitMs = Date.now() - startedAt >= goodRunMs ? firstMs : Math.min(waitMs * 2, maxMs);
    }
  }

  /** One more run, to its end. Says how it ended; never rejects. */
  private async runAgain(): Promise<string> {
    try {
      const process = await this.run();
      await process.untilReady(readyWithinMs).then(
        () => {
          this.observer.recovered(this.spec);
        },
        // Not ready in time: it was killed, and that is its end.
        () => undefined,
      );
      return await process.ended;
    } catch (error) {
      return (error as Error).message;
    }
  }
}
