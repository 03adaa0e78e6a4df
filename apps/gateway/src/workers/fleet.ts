import cluster from 'node:cluster';
import { type LoggerService } from '@nestjs/common';
import { type Running, type Service } from '@sluice/service';
import { type gatewayVariables } from '../config.js';
import { dividedLimits } from './divided-limits.js';
import { type FleetAnswers, type TakenRequests, type FleetTopic } from './messages.js';
import { Worker } from './worker.js';

const firstPauseMs = 200;
const maxPauseMs = 10_000;
/** Time after which the death of a worker no longer counts as a failed start. */
const settledMs = 30_000;
/** Time by which a worker gives up a graceful stop before its primary does. */
const stopMarginMs = 500;

/** The workers of a gateway on one port: starts them, replaces those that die, stops them. */
export class Fleet implements Running {
  private readonly workers = new Set<Worker>();
  private readonly pauses = new Set<NodeJS.Timeout>();
  private env: Record<string, string> = {};
  private logger: LoggerService | undefined;
  private isStopping = false;
  private deathsInARow = 0;
  private hasBeenReady = false;

  /** Resolves when all workers accept connections. @throws when one of them cannot start. */
  async start({ config, health, logger }: Service<typeof gatewayVariables>): Promise<this> {
    // Workers get connections in turn, so that a client with few connections reaches all workers
    // (docs/decisions/0014-workers-and-admission.md).
    cluster.schedulingPolicy = cluster.SCHED_RR;
    this.logger = logger;
    this.env = {
      ...dividedLimits(config),
      GATEWAY_WORKERS: '1',
      STOP_TIMEOUT_MS: String(Math.max(config.STOP_TIMEOUT_MS - stopMarginMs, 1)),
    };
    for (const topic of ['live', 'ready'] as const)
      health[topic].set('workers', () => this.passing(topic, config.GATEWAY_WORKERS));
    const workers = Array.from({ length: config.GATEWAY_WORKERS }, () => this.startWorker());
    await Promise.all(workers.map((worker) => worker.listening()));
    return this;
  }

  /** Whether the worker has not ended. */
  has(worker: Worker): boolean {
    return this.workers.has(worker);
  }

  /** Asks all workers, and returns the answers that arrive in time. */
  async ask<T extends FleetTopic>(topic: T): Promise<FleetAnswers[T][]> {
    const answers = await this.askEach(topic);
    return [...answers.values()];
  }

  async askEach<T extends FleetTopic>(topic: T): Promise<Map<Worker, FleetAnswers[T]>> {
    const all = await Promise.all([...this.workers].map(async (one) => [one, await one.ask(topic)] as const));
    return new Map(all.flatMap(([worker, answer]) => (answer === undefined ? [] : [[worker, answer] as const])));
  }

  /** Resolves when all workers have finished their work. @throws Error when one did not. */
  async close(): Promise<void> {
    this.isStopping = true;
    for (const pause of this.pauses) clearTimeout(pause);
    const ends = await Promise.all([...this.workers].map((worker) => worker.stop()));
    const failed = ends.filter((how) => how !== 0);
    if (failed.length > 0) throw new Error(`workers did not stop in order: ${failed.join(', ')}`);
  }

  /**
   * At the start all workers must be ready: each gets connections in turn, and answers 503 until it knows its sources.
   * Later one is enough: all have the same Kafka and sources, and a stuck worker soon gets no new connections.
   */
  private async passing(topic: 'live' | 'ready', of: number): Promise<Record<string, number>> {
    const passing = (await this.ask(topic)).filter(({ ok }) => ok).length;
    const isFirst = topic === 'ready' && !this.hasBeenReady;
    if (passing < (isFirst ? of : 1)) throw new Error(`${passing} of ${of} workers are ${topic}`);
    if (topic === 'ready') this.hasBeenReady = true;
    return { [topic]: passing, of };
  }

  private startWorker(): Worker {
    const worker = new Worker(this.env, (taken) => this.passOn(taken, worker));
    this.workers.add(worker);
    void worker.ended.then((how) => this.replace(worker, how));
    return worker;
  }

  private passOn(taken: TakenRequests, from: Worker): void {
    for (const worker of this.workers) if (worker !== from) worker.send(taken);
  }

  private replace(worker: Worker, how: number | string): void {
    this.workers.delete(worker);
    if (this.isStopping) return;
    this.deathsInARow = performance.now() - worker.startedAt > settledMs ? 0 : this.deathsInARow + 1;
    const pauseMs = Math.min(firstPauseMs * 2 ** this.deathsInARow, maxPauseMs);
    this.logger?.error({ msg: 'a worker died and is replaced', pid: worker.pid, how, pauseMs }, Fleet.name);
    const pause = setTimeout(() => {
      this.pauses.delete(pause);
      this.startWorker();
    }, pauseMs);
    this.pauses.add(pause);
  }
}
