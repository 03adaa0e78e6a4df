import { ServerProcess, signalGroup } from '@sluice/testing';
import { type ConsumerApp, type ConsumerOptions, startConsumer } from '../consumer-process.js';

const stopMs = 30_000;

/** The running consumers of one service. */
export class Instances {
  private readonly running: ServerProcess[] = [];

  constructor(
    private readonly app: ConsumerApp,
    private readonly options: ConsumerOptions,
  ) {}

  get count(): number {
    return this.running.length;
  }

  async add(changes: Partial<ConsumerOptions> = {}): Promise<void> {
    this.running.push(await startConsumer(this.app, { ...this.options, ...changes }));
  }

  /** The one that was added last goes, with a SIGKILL if `graceMs` is 0. */
  async remove(graceMs = stopMs): Promise<void> {
    await this.running.pop()?.stop(graceMs);
  }

  async replace(index: number, changes: Partial<ConsumerOptions> = {}, graceMs = 0): Promise<void> {
    await this.running[index]?.stop(graceMs);
    this.running[index] = await startConsumer(this.app, { ...this.options, ...changes });
  }

  /** Kills it; what takes its place kills itself when a block passes that point, and another comes after it. */
  async replaceByDoomed(index: number, crashPoint: string, patienceMs: number): Promise<void> {
    await this.running[index]?.stop(0);
    const doomed = await startConsumer(this.app, this.options, crashPoint);
    const timer = setTimeout(() => void doomed.stop(0), patienceMs);
    await doomed.ended;
    clearTimeout(timer);
    this.running[index] = await startConsumer(this.app, this.options);
  }

  signal(index: number, signal: 'SIGSTOP' | 'SIGCONT'): void {
    const one = this.running[index];
    if (one?.isAlive) signalGroup(one.pid, signal);
  }

  async stopAll(graceMs = stopMs): Promise<void> {
    await Promise.all(this.running.splice(0).map((one) => one.stop(graceMs)));
  }

  /** The sum of a metric, whatever its labels, over all instances. */
  async metric(name: string): Promise<number> {
    const texts = await Promise.all(
      this.running.map(async ({ spec }) => (await fetch(`http://127.0.0.1:${spec.port}/metrics`)).text()),
    );
    const values = texts.flatMap((text) => [...text.matchAll(new RegExp(`^${name}(?:\\{.*\\})? (\\S+)$`, 'gm'))]);
    return values.reduce((sum, [, value]) => sum + Number(value), 0);
  }

  /** How each that has ended by itself did. */
  get ended(): number {
    return this.running.filter(({ isAlive }) => !isAlive).length;
  }
}
