import { ServerProcess, type ServerSpec } from '@sluice/testing';
import { setTimeout as delay } from 'node:timers/promises';

export interface Observer {
  /** Called and awaited before the server is ready. */
  spawned(name: string, pid: number): Promise<void>;
  died(spec: ServerSpec, ending: string, restartInMs: number): void;
  /** Called when the server is ready again after it died. */
  recovered(spec: ServerSpec): void;
}

export interface RestartBackoff {
  readonly firstMs: number;
  readonly maxMs: number;
  /** After a run of at least this time the waits start again at `firstMs`. */
  readonly goodRunMs: number;
}

const defaultBackoff: RestartBackoff = { firstMs: 250, maxMs: 10_000, goodRunMs: 30_000 };
const readyWithinMs = 60_000;

/** Keeps one server running on the same ports until `stopping` is aborted. */
export class SupervisedServer {
  private process: ServerProcess | undefined;
  private supervision: Promise<void> | undefined;

  constructor(
    readonly spec: ServerSpec,
    private readonly stopping: AbortSignal,
    private readonly observer: Observer,
    private readonly backoff: RestartBackoff = defaultBackoff,
  ) {}

  /** Resolves when the server is ready. A failed first start is not repeated. @throws ServerStartError */
  async start(): Promise<void> {
    const process = await this.run();
    await process.untilReady(readyWithinMs);
    this.supervision = this.supervise(process);
  }

  /** Stops the server, with SIGKILL after `graceMs`. Abort `stopping` first, or the server restarts. */
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

  private async supervise(firstProcess: ServerProcess): Promise<void> {
    const { firstMs, maxMs, goodRunMs } = this.backoff;
    let waitMs = firstMs;
    let ending = await firstProcess.ended;
    while (!this.stopping.aborted) {
      this.observer.died(this.spec, ending, waitMs);
      await delay(waitMs, undefined, { signal: this.stopping }).catch(() => undefined);
      const startedAt = Date.now();
      ending = await this.runAgain();
      waitMs = Date.now() - startedAt >= goodRunMs ? firstMs : Math.min(waitMs * 2, maxMs);
    }
  }

  /** Runs the server once more and resolves, when it ends, with the way it ended. Never rejects. */
  private async runAgain(): Promise<string> {
    try {
      const process = await this.run();
      await process.untilReady(readyWithinMs).then(
        () => this.observer.recovered(this.spec),
        // A server that is not ready in time is killed, and `ended` resolves.
        () => undefined,
      );
      return await process.ended;
    } catch (error) {
      return (error as Error).message;
    }
  }
}
