import cluster, { type Worker as ClusterWorker } from 'node:cluster';
import {
  type FleetAnswers,
  isFleetMessage,
  type FleetMessage,
  type TakenRequests,
  type FleetTopic,
} from './messages.js';

const timeoutMs = 1_500;

/** The primary's view of one worker process. */
export class Worker {
  readonly startedAt = performance.now();
  /** Resolves when the process has ended, with its exit code or the signal. */
  readonly ended: Promise<number | string>;
  private readonly process: ClusterWorker;
  private readonly waiting = new Map<number, (answer: FleetAnswers[FleetTopic]) => void>();
  private questions = 0;

  constructor(env: Record<string, string>, onTaken: (requests: TakenRequests) => void) {
    this.process = cluster.fork(env);
    // Not `once` of node:events: an 'error' would reject it, and the primary would end with its worker.
    this.ended = new Promise((resolve) => {
      this.process.once('exit', (code: number | null, signal: string | null) => resolve(signal ?? code ?? 0));
    });
    // Sending can fail when the process has just ended; `ended` reports that.
    this.process.on('error', () => undefined);
    this.process.on('message', (message: unknown) => {
      if (!isFleetMessage(message)) return;
      if (message.kind === 'taken') onTaken(message);
      else if (message.kind === 'answer') this.waiting.get(message.id)?.(message.answer);
    });
  }

  get pid(): number {
    return this.process.process.pid ?? 0;
  }

  /** Resolves when the worker accepts connections. @throws Error when it ends before. */
  async listening(): Promise<void> {
    const failed = this.ended.then((exitReason) => {
      throw new Error(`a worker ended (${exitReason}) before it listened`);
    });
    const listens = new Promise<void>((resolve) => void this.process.once('listening', () => resolve()));
    await Promise.race([listens, failed]);
  }

  send(message: FleetMessage): void {
    if (this.process.isConnected()) this.process.send(message);
  }

  /** Asks the worker. Resolves to undefined when there is no answer in time. */
  ask<T extends FleetTopic>(topic: T): Promise<FleetAnswers[T] | undefined> {
    const id = ++this.questions;
    return new Promise((resolve) => {
      const settle = (answer?: FleetAnswers[FleetTopic]): void => {
        clearTimeout(timer);
        this.waiting.delete(id);
        resolve(answer as FleetAnswers[T] | undefined);
      };
      const timer = setTimeout(settle, timeoutMs);
      this.waiting.set(id, settle);
      this.send({ kind: 'question', id, topic });
    });
  }

  stop(): Promise<number | string> {
    this.process.process.kill('SIGTERM');
    return this.ended;
  }
}
