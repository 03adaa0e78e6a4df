import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type RequestTarget } from './http-generator.js';

/** Violations of a message, by rule and path. */
type Violations = readonly string[];

interface Shape {
  readonly event: string;
  readonly properties: object;
  readonly violations: Violations;
  /** True when the plan refuses it. */
  readonly isRefused: boolean;
}

/** Messages of the load, with what the plan of `planOf` says about them. */
const shapes: readonly Shape[] = [
  { event: 'watched', properties: { id: 'a', total: 1 }, violations: [], isRefused: false },
  { event: 'watched', properties: { id: 'a', total: 'one' }, violations: ['wrong_type:total'], isRefused: false },
  {
    event: 'watched',
    properties: { total: 1, colour: 'red' },
    violations: ['missing:id', 'unknown:colour'],
    isRefused: false,
  },
  { event: 'guarded', properties: { id: 'a' }, violations: [], isRefused: false },
  { event: 'guarded', properties: { id: 7 }, violations: ['wrong_type:id'], isRefused: true },
  { event: 'guarded', properties: {}, violations: ['missing:id'], isRefused: true },
  { event: 'misspelt', properties: {}, violations: ['unknown_event'], isRefused: true },
];

/** A plan in which one event is only observed, and everything else that does not fit is refused. */
export const makePlan = (source: string): object => ({
  version: 1,
  sources: [source],
  events: {
    watched: {
      mode: 'observe',
      properties: { id: { type: 'string' }, total: { type: 'number' } },
      required: ['id'],
    },
    guarded: { properties: { id: { type: 'string' } }, required: ['id'] },
  },
});

/** Numbers of stored and of refused messages by event and violation, as the views must show them. */
export type ViolationLedger = Record<string, { events: number; refused: number }>;

const retryMs = 200;
const itemsPerBatch = 10;

/**
 * Sends single messages and batches, each until it is answered, under its own Idempotency-Key. So each message is
 * accepted or refused once, whatever is killed, and the ledger is exact.
 */
export class PlanLoad {
  readonly ledger: ViolationLedger = {};
  /** Numbers of messages that are stored, and that are refused and kept. */
  stored = 0;
  refused = 0;
  repeated = 0;
  private isRunning = false;
  private workers: Promise<void>[] = [];
  private sent = 0;

  constructor(private readonly target: RequestTarget) {}

  start(workers: number): void {
    this.isRunning = true;
    this.workers = Array.from({ length: workers }, () => this.work());
  }

  /** Stops sending. Resolves when every request is answered. */
  async stop(): Promise<void> {
    this.isRunning = false;
    await Promise.all(this.workers);
  }

  private async work(): Promise<void> {
    while (this.isRunning) {
      const n = this.sent++;
      await (n % 3 === 0 ? this.sendBatch(n) : this.sendSingle(n));
    }
  }

  private async sendSingle(n: number): Promise<void> {
    const shape = pickShape(n);
    const status = await this.untilAnswered('track', makeMessage(shape, n), {});
    if (status !== (shape.isRefused ? 400 : 200)) throw new Error(`${shape.event} was answered ${status}`);
    this.count(shape);
  }

  /** Every other batch is strict: one bad item refuses it whole, and only bad items are kept. */
  private async sendBatch(n: number): Promise<void> {
    const batch = Array.from({ length: itemsPerBatch }, (_, i) => pickShape(n * itemsPerBatch + i));
    const isLenient = n % 2 === 0;
    const list = batch.map((shape, i) => makeMessage(shape, n * itemsPerBatch + i));
    const status = await this.untilAnswered('trackBatch', { list }, isLenient ? { prefer: 'handling=lenient' } : {});
    const isTaken = isLenient ? batch.some((shape) => !shape.isRefused) : batch.every((shape) => !shape.isRefused);
    if (status !== (isTaken ? 200 : 400)) throw new Error(`a batch was answered ${status}`);
    for (const shape of batch) if (isTaken || shape.isRefused) this.count(shape);
  }

  private count({ event, violations, isRefused }: Shape): void {
    if (isRefused) this.refused++;
    else this.stored++;
    for (const violation of violations) {
      const counts = (this.ledger[`${event} ${violation}`] ??= { events: 0, refused: 0 });
      if (isRefused) counts.refused++;
      else counts.events++;
    }
  }

  /** Repeats the request under its key until it is answered 200 or 400. */
  private async untilAnswered(endpoint: string, body: object, extraHeaders: Record<string, string>): Promise<number> {
    const { url, sourceIdentifier, apiKey } = this.target;
    const headers = {
      'content-type': 'application/json',
      authorization: `Bearer ${apiKey}`,
      'idempotency-key': randomUUID(),
      ...extraHeaders,
    };
    const init = { method: 'POST', headers, body: JSON.stringify(body) };
    for (;;) {
      const status = await fetch(`${url}/api/tracker/sdk/${sourceIdentifier}/${endpoint}`, init).then(
        async (answer) => {
          await answer.arrayBuffer();
          return answer.status;
        },
        () => 0,
      );
      if (status === 200 || status === 400) return status;
      if (status !== 0 && status < 500) throw new Error(`${endpoint} was answered ${status}`);
      this.repeated++;
      await sleep(retryMs);
    }
  }
}

const pickShape = (n: number): Shape => {
  const shape = shapes[Math.floor(Math.abs(Math.sin(n + 1)) * 1e6) % shapes.length];
  if (!shape) throw new RangeError('there are no shapes');
  return shape;
};

/** A message of one of 500 persons. */
const makeMessage = ({ event, properties }: Shape, n: number): object => ({
  userId: `user-${n % 500}`,
  event,
  properties,
});
