import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { isPortFree } from '../free-port.js';
import { openLifeline } from './lifeline.js';
import { forgetGroup, trackGroup } from './live-groups.js';
import { logTail } from './log-tail.js';
import { type ServerSpec } from './server-spec.js';
import { ServerStartError } from './server-start-error.js';
import { signalGroup } from './signal-group.js';

const pollMs = 25;

/**
 * One run of a server. It has its own process group, so that a ^C in the terminal does not stop it out of order.
 * It outlives this process only if this process is killed with SIGKILL.
 */
export class ServerProcess {
  /** Resolves with the way it ended: `exit code 1`, `SIGKILL`. Never rejects. */
  readonly ended: Promise<string>;
  private hasEnded = false;

  private constructor(
    readonly spec: ServerSpec,
    readonly pid: number,
    child: ChildProcess,
    closeLifeline: () => void,
  ) {
    trackGroup(pid);
    this.ended = once(child, 'exit').then(([code, signal]) => {
      this.hasEnded = true;
      closeLifeline();
      // Kill children that the server left behind.
      signalGroup(pid, 'SIGKILL');
      forgetGroup(pid);
      return typeof signal === 'string' ? signal : `exit code ${String(code)}`;
    });
  }

  static async spawn(spec: ServerSpec): Promise<ServerProcess> {
    // Otherwise an answer of the server that has the port would be taken for one of this server.
    if (spec.port !== undefined && !(await isPortFree(spec.port))) {
      throw new ServerStartError(`${spec.name} could not be started: port ${spec.port} is taken`);
    }
    mkdirSync(dirname(spec.logFile), { recursive: true });
    const log = openSync(spec.logFile, 'a', 0o600);
    const lifeline = spec.lifeline ? openLifeline() : undefined;
    try {
      const child = spawn(spec.command, spec.args, {
        detached: true,
        env: { ...process.env, ...spec.env },
        stdio: [lifeline?.readEnd ?? 'ignore', log, log],
      });
      await once(child, 'spawn');
      return new ServerProcess(spec, child.pid ?? 0, child, () => {
        if (lifeline) closeSync(lifeline.writeEnd);
      });
    } catch (error) {
      if (lifeline) closeSync(lifeline.writeEnd);
      throw new ServerStartError(`${spec.name} could not be started: ${(error as Error).message}`);
    } finally {
      closeSync(log);
      if (lifeline) closeSync(lifeline.readEnd);
    }
  }

  get isAlive(): boolean {
    return !this.hasEnded;
  }

  /** Waits until the server answers; kills it if it is too slow. @throws ServerStartError if it ends or is killed. */
  async untilReady(timeoutMs: number): Promise<void> {
    const deadline = Date.now() + timeoutMs;
    while (this.isAlive && Date.now() < deadline) {
      if (await this.spec.isReady()) return;
      await delay(pollMs);
    }
    if (!this.isAlive) throw this.startError(`ended (${await this.ended}) before it was ready`);
    await this.stop(0);
    throw this.startError(`was not ready after ${Math.round(timeoutMs / 1000)} s`);
  }

  /** Sends SIGTERM, and SIGKILL after `graceMs`. Resolves when the server has ended. */
  async stop(graceMs = 10_000): Promise<void> {
    if (!this.isAlive) return;
    signalGroup(this.pid, graceMs > 0 ? 'SIGTERM' : 'SIGKILL');
    const timer = setTimeout(() => signalGroup(this.pid, 'SIGKILL'), graceMs);
    await this.ended;
    clearTimeout(timer);
  }

  private startError(failure: string): ServerStartError {
    const { name, logFile } = this.spec;
    return new ServerStartError(`${name} ${failure}. The end of its log (${logFile}):\n${logTail(logFile)}`);
  }
}
