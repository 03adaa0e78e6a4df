import {
  batchBody,
  type BatchVerdict,
  type Clock,
  deriveKey,
  joinRefusals,
  lenient,
  readRetryAfter,
  readVerdict,
  type Random,
  sendInTime,
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
  readonly random: Pick<Random, 'fraction' | 'uuid'>;
  readonly report: (error: SluiceError) => void;
  readonly onRefused: (entity: RefusedEntity) => void;
}

/** Number of consecutive unanswered tries after which an error is reported. */
const triesBeforeReport = 3;

interface SenderVerdict extends BatchVerdict {
  readonly requestId: string | undefined;
}

/** Sends batches of entities until the service has taken or refused them, or they are too old. */
export class BatchSender {
  private hasEnded = false;
  private readonly wakeUps = new Set<() => void>();

  constructor(private readonly world: SenderWorld) {}

  /** Tries nothing again. Batches that wait for another try count as not taken. */
  end(): void {
    this.hasEnded = true;
    for (const wakeUp of this.wakeUps) wakeUp();
  }

  /** Resolves with the number of entities that the service has taken. All tries have one key, so none brings back a state. */
  async send(batch: readonly QueuedEntity[], key: string = this.world.random.uuid('key')): Promise<number> {
    const verdict = await this.trySending(batch, key);
    if (verdict === undefined) return 0;
    const { requestId } = verdict;
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
    const report = (refusals: BatchVerdict['reasons'], count: number): void =>
      this.world.report({ code: 'refused', message: joinRefusals(refusals.slice(0, 3)), count, requestId });
    if (refused > 0) report(verdict.reasons, refused);
    if (verdict.dropped.length > 0) report(verdict.dropped, 0);
    return batch.length - refused;
  }

  /** The final verdict; undefined if there was none in time. */
  private async trySending(batch: readonly QueuedEntity[], key: string): Promise<SenderVerdict | undefined> {
    const { clock, random, maxAge, report } = this.world;
    const startTime = clock.monotonic();
    for (let failures = 1; ; failures++) {
      const answer = await sendInTime(this.world, this.makeRequest(batch, key));
      const verdict = { ...readVerdict(answer), requestId: answer?.header('x-request-id') ?? undefined };
      const { meaning, reasons, isFromService } = verdict;
      if (meaning === 'stored' || meaning === 'refused' || meaning === 'too-large') return verdict;
      if (this.hasEnded) return undefined;
      if (meaning === 'unauthorized' && failures === 1)
        report({ code: 'unauthorized', message: joinRefusals(reasons) });
      if (!isFromService && failures === triesBeforeReport)
        report({ code: 'unreachable', message: `no answer of the service after ${failures} tries` });
      const wait = waitAfter(failures, readRetryAfter(answer, clock.now(), isFromService), random.fraction());
      if (clock.monotonic() + wait - startTime > maxAge) {
        report({ code: 'expired', message: `not taken for ${maxAge} ms`, count: batch.length });
        return undefined;
      }
      if (!(await this.wait(wait))) return undefined;
    }
  }

  /** Resolves after this time with true, or with false when the sender ends. */
  private wait(ms: number): Promise<boolean> {
    return new Promise((resolve) => {
      const cancel = this.world.clock.later(ms, () => wakeUp());
      const wakeUp = (): void => {
        cancel();
        this.wakeUps.delete(wakeUp);
        resolve(!this.hasEnded);
      };
      this.wakeUps.add(wakeUp);
    });
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
