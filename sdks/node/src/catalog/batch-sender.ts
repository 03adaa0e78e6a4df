import { randomUUID } from 'node:crypto';
import {
  batchBody,
  type BatchVerdict,
  type Clock,
  deriveKey,
  joinRefusals,
  lenient,
  readRetryAfter,
  readVerdict,
  sendRequest,
  type SluiceError,
  type Transport,
  waitAfter,
} from '@sluice/sdk-core';
import { type QueuedEntity } from './entity-queue.js';
import { type RefusedEntity } from './options.js';

/** The parts that a sender needs of its client. */
export interface SenderWorld {
  readonly url: string;
  readonly apiKey: string;
  readonly maxAge: number;
  readonly transport: Transport;
  readonly clock: Clock;
  readonly report: (error: SluiceError) => void;
  readonly onRefused: (entity: RefusedEntity) => void;
}

/** Number of consecutive unanswered tries after which an error is reported. */
const triesBeforeReport = 3;

/** Sends batches of entities until the service has taken or refused them, or they are too old. */
export class BatchSender {
  constructor(private readonly world: SenderWorld) {}

  /** Resolves with the number of entities that the service has taken. All tries have one key, so none brings back a state. */
  async send(batch: readonly QueuedEntity[], key: string = randomUUID()): Promise<number> {
    const verdict = await this.trySending(batch, key);
    if (verdict === undefined) return 0;
    const [first] = batch;
    if (verdict.meaning === 'too-large' && batch.length > 1) {
      const half = Math.ceil(batch.length / 2);
      const firstHalf = await this.send(batch.slice(0, half), deriveKey(key, 0));
      return firstHalf + (await this.send(batch.slice(half), deriveKey(key, half)));
    }
    if (!first) return 0;
    const isWhole = verdict.meaning !== 'stored';
    let refused = 0;
    for (const [index, { type, id }] of batch.entries()) {
      const ofEntity = verdict.reasons.filter(
        ({ field }) => field === `list[${index}]` || field.startsWith(`list[${index}].`),
      );
      const reasons = ofEntity.length === 0 && isWhole ? verdict.reasons : ofEntity;
      if (reasons.length === 0) continue;
      refused++;
      this.world.onRefused({ type, id, reasons: reasons.map((reason) => joinRefusals([reason])) });
    }
    if (refused > 0)
      this.world.report({ code: 'refused', message: joinRefusals(verdict.reasons.slice(0, 3)), count: refused });
    if (verdict.dropped.length > 0)
      this.world.report({ code: 'refused', message: joinRefusals(verdict.dropped.slice(0, 3)), count: 0 });
    return batch.length - refused;
  }

  /** The final verdict; undefined if there was none in time. */
  private async trySending(batch: readonly QueuedEntity[], key: string): Promise<BatchVerdict | undefined> {
    const { clock, maxAge, report } = this.world;
    const startTime = clock.monotonic();
    for (let failures = 1; ; failures++) {
      const answer = await sendRequest(this.world.transport, this.makeRequest(batch, key));
      const verdict = readVerdict(answer);
      const { meaning, reasons, isFromService } = verdict;
      if (meaning === 'stored' || meaning === 'refused' || meaning === 'too-large') return verdict;
      if (meaning === 'unauthorized' && failures === 1)
        report({ code: 'unauthorized', message: joinRefusals(reasons) });
      if (!isFromService && failures === triesBeforeReport)
        report({ code: 'unreachable', message: `no answer of the service after ${failures} tries` });
      const wait = waitAfter(failures, readRetryAfter(answer, clock.now(), isFromService), Math.random());
      if (clock.monotonic() + wait - startTime > maxAge) {
        report({ code: 'expired', message: `not taken for ${maxAge} ms`, count: batch.length });
        return undefined;
      }
      await new Promise<void>((resolve) => clock.later(wait, resolve));
    }
  }

  private makeRequest(batch: readonly QueuedEntity[], key: string) {
    const { url, apiKey } = this.world;
    const [first] = batch;
    return {
      method: 'POST' as const,
      url: `${url}/${first?.type ?? ''}${first?.action ?? ''}`,
      headers: {
        Authorization: `Bearer ${apiKey}`,
        'Content-Type': 'application/json',
        'Idempotency-Key': key,
        Prefer: lenient,
      },
      body: batchBody(batch.map(({ text }) => text)),
      keepalive: false,
    };
  }
}
