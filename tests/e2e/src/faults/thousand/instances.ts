import { setTimeout as sleep } from 'node:timers/promises';
import { eventually, type ServerProcess, signalGroup } from '@sluice/testing';
import { type ConsumerApp, type ConsumerOptions, startConsumer } from '../consumer-process.js';

const stopMs = 30_000;
const restartMs = 500;

/** A process that Prometheus scrapes. */
export interface ScrapeTarget {
  readonly job: string;
  readonly port: number | undefined;
}

/** The running consumers of one service. A consumer that ends by itself is restarted, as by a supervisor. */
export class Instances {
  private readonly running: ServerProcess[] = [];
  /** Processes that a fault ends on purpose. */
  private readonly doomed = new Set<ServerProcess>();
  /** Ends of processes that no fault ended on purpose. */
  readonly deaths: string[] = [];
  private failedStarts = 0;

  constructor(
    private readonly app: ConsumerApp,
    private readonly options: ConsumerOptions,
  ) {}

  get count(): number {
    return this.running.length;
  }

  get targets(): ScrapeTarget[] {
    return this.running.map(({ spec }) => ({ job: this.app, port: spec.port }));
  }

  /** Counts processes that ended by themselves, and starts that failed. */
  get failures(): number {
    return this.deaths.length + this.failedStarts;
  }

  async add(changes: Partial<ConsumerOptions> = {}): Promise<void> {
    this.running.push(await this.start(changes));
  }

  /** Stops the newest instance, with SIGKILL if `graceMs` is 0. */
  async remove(graceMs = stopMs): Promise<void> {
    const last = this.running.pop();
    if (last) await this.end(last, graceMs);
  }

  async replace(index: number, changes: Partial<ConsumerOptions> = {}, graceMs = 0): Promise<void> {
    await this.end(this.requireInstance(index), graceMs);
    this.running[index] = await this.start(changes);
  }

  /** Kills an instance and starts one that kills itself at the crash point, then an ordinary one. */
  async replaceByDoomed(index: number, crashPoint: string, timeoutMs: number): Promise<void> {
    await this.end(this.requireInstance(index), 0);
    const doomed = await startConsumer(this.app, this.options, crashPoint);
    await Promise.race([doomed.ended, sleep(timeoutMs)]);
    await doomed.stop(0);
    this.running[index] = await this.start({});
  }

  signal(index: number, signal: 'SIGSTOP' | 'SIGCONT'): void {
    const instance = this.requireInstance(index);
    if (instance.isAlive) signalGroup(instance.pid, signal);
  }

  async stopAll(graceMs = stopMs): Promise<void> {
    await Promise.all(this.running.splice(0).map((instance) => this.end(instance, graceMs)));
  }

  /**
   * Sum of a metric over all instances that live, optionally only of series whose labels begin with `labels`.
   * @throws when none lives
   */
  async metric(name: string, labels = ''): Promise<number> {
    const alive = this.running.filter(({ isAlive }) => isAlive);
    if (alive.length === 0) throw new Error(`no instance of ${this.app} is alive`);
    const texts = await Promise.all(
      alive.map(async ({ spec }) => (await fetch(`http://127.0.0.1:${spec.port}/metrics`)).text()),
    );
    const values = texts.flatMap((text) => [
      ...text.matchAll(
        new RegExp(labels ? `^${name}\\{${labels}.*\\} (\\S+)$` : `^${name}(?:\\{.*\\})? (\\S+)$`, 'gm'),
      ),
    ]);
    return values.reduce((sum, [, value]) => sum + Number(value), 0);
  }

  private async start(changes: Partial<ConsumerOptions>): Promise<ServerProcess> {
    const instance = await eventually(async () => {
      try {
        return await startConsumer(this.app, { ...this.options, ...changes });
      } catch (error) {
        this.failedStarts += 1;
        throw error;
      }
    });
    void instance.ended.then((how) => this.revive(instance, how));
    return instance;
  }

  private async revive(instance: ServerProcess, how: string): Promise<void> {
    if (this.doomed.has(instance)) return;
    this.deaths.push(how);
    await sleep(restartMs);
    const index = this.running.indexOf(instance);
    if (index < 0) return;
    const next = await this.start({});
    // A fault may have replaced the instance in the meantime.
    if (this.running[index] === instance) this.running[index] = next;
    else await this.end(next, 0);
  }

  private async end(instance: ServerProcess, graceMs: number): Promise<void> {
    this.doomed.add(instance);
    await instance.stop(graceMs);
  }

  private requireInstance(index: number): ServerProcess {
    const instance = this.running[index];
    if (!instance) throw new RangeError(`there is no instance ${index} of ${this.app}`);
    return instance;
  }
}
