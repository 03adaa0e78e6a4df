import cluster from 'node:cluster';
import { type LoggerService } from '@nestjs/common';
import { type Running, type Service } from '@sluice/service';
import { createApiKey } from '@sluice/sources';
import { Canary } from '../canary/canary.js';
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
export class WorkerFleet implements Running {
  private readonly workers = new Set<Worker>();
  private readonly restartTimers = new Set<NodeJS.Timeout>();
  private env: Record<string, string> = {};
  private logger: LoggerService | undefined;
  private canary: Canary | undefined;
  private isStopping = false;
  private deathsInARow = 0;
  private hasBeenReady = false;

  /** Resolves when all workers accept connections. @throws when one of them cannot start. */
  async start({ config, health, logger, metrics }: Service<typeof gatewayVariables>): Promise<this> {
    // Workers get connections in turn, so that a client with few connections reaches all workers
    // (docs/decisions/0014-workers-and-admission.md).
    cluster.schedulingPolicy = cluster.SCHED_RR;
    this.logger = logger;
    const key = config.CANARY_KEY === '' ? createApiKey() : config.CANARY_KEY;
    this.env = {
      ...dividedLimits(config),
      CANARY_KEY: key,
      GATEWAY_WORKERS: '1',
      STOP_TIMEOUT_MS: String(Math.max(config.STOP_TIMEOUT_MS - stopMarginMs, 1)),
    };
    for (const topic of ['live', 'ready'] as const)
      health[topic].set('workers', () => this.checkWorkers(topic, config.GATEWAY_WORKERS));
    const workers = Array.from({ length: config.GATEWAY_WORKERS }, () => this.startWorker());
    await Promise.all(workers.map((worker) => worker.listening()));
    this.canary = new Canary(config, { key, isDrained: () => this.isDrained(config.GATEWAY_WORKERS) }, metrics);
    this.canary.start();
    return this;
  }

  /** Whether all workers say that they have nothing on their disk; the queue of a dead one goes to another. */
  private async isDrained(workerCount: number): Promise<boolean> {
    const answers = await this.ask('drained');
    return answers.length === workerCount && answers.every(({ ok }) => ok);
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
    const answers = await Promise.all(
      [...this.workers].map(async (worker) => [worker, await worker.ask(topic)] as const),
    );
    return new Map(answers.flatMap(([worker, answer]) => (answer === undefined ? [] : [[worker, answer] as const])));
  }

  /** Resolves when all workers have finished their work. @throws Error when one did not. */
  async close(): Promise<void> {
    this.isStopping = true;
    for (const timer of this.restartTimers) clearTimeout(timer);
    await this.canary?.onModuleDestroy();
    const ends = await Promise.all([...this.workers].map((worker) => worker.stop()));
    const failed = ends.filter((exitCode) => exitCode !== 0);
    if (failed.length > 0) throw new Error(`workers did not stop in order: ${failed.join(', ')}`);
  }

  /**
   * At the start all workers must be ready: each gets connections in turn, and answers 503 until it knows its sources.
   * Later one is enough: all have the same Kafka and sources, and a stuck worker soon gets no new connections.
   */
  private async checkWorkers(topic: 'live' | 'ready', workerCount: number): Promise<Record<string, number>> {
    const passing = (await this.ask(topic)).filter(({ ok }) => ok).length;
    const isFirst = topic === 'ready' && !this.hasBeenReady;
    if (passing < (isFirst ? workerCount : 1)) throw new Error(`${passing} of ${workerCount} workers are ${topic}`);
    if (topic === 'ready') this.hasBeenReady = true;
    return { [topic]: passing, of: workerCount };
  }

  private startWorker(): Worker {
    const worker = new Worker(this.env, (takenRequests) => this.sendToOthers(takenRequests, worker));
    this.workers.add(worker);
    void worker.ended.then((exitReason) => this.replace(worker, exitReason));
    return worker;
  }

  private sendToOthers(takenRequests: TakenRequests, from: Worker): void {
    for (const worker of this.workers) if (worker !== from) worker.send(takenRequests);
  }

  private replace(worker: Worker, exitReason: number | string): void {
    this.workers.delete(worker);
    if (this.isStopping) return;
    this.deathsInARow = performance.now() - worker.startedAt > settledMs ? 0 : this.deathsInARow + 1;
    const pauseMs = Math.min(firstPauseMs * 2 ** this.deathsInARow, maxPauseMs);
    const line = { msg: 'a worker died and is replaced', pid: worker.pid, how: exitReason, pauseMs };
    this.logger?.error(line, WorkerFleet.name);
    const timer = setTimeout(() => {
      this.restartTimers.delete(timer);
      this.startWorker();
    }, pauseMs);
    this.restartTimers.add(timer);
  }
}
