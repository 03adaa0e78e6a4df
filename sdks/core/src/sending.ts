import { inWords, messagesNamed, type Verdict, verdictOf } from './answer.js';
import { type Batch, bodyOf, derivedKey, measure, newBatch } from './batch.js';
import { type Entry, newEntry } from './entry.js';
import { type Settings } from './options.js';
import { type Outbox } from './outbox.js';
import { type HttpAnswer, type HttpRequest, type Ports } from './ports.js';
import { type Reporter } from './reporter.js';
import { restAfter, retryAfterOf, waitAfter } from './retry-policy.js';

const timeoutMs = 30_000;
/** Browsers allow a page 64 KiB and about ten requests that outlive it. */
const keepalive = { bytes: 60 * 1_024, requests: 9 };

/** Sends batches to the service and acts on the answers. */
export class Sending {
  /** Consecutive tries without a conclusive answer, and consecutive answers that made the client rest. */
  private failures = 0;
  private rests = 0;
  private pausedUntil = 0;
  /** True if the pause is our own guess, which a hint can shorten. */
  private isGuess = false;
  private flying = 0;
  private flyingBytes = 0;

  constructor(
    private readonly settings: Settings,
    private readonly ports: Ports,
    private readonly reporter: Reporter,
    private readonly outbox: Outbox,
  ) {}

  /** Milliseconds until the next try. */
  wait(): number {
    return Math.max(0, this.pausedUntil - this.ports.clock.monotonic());
  }

  pauseUntil(time: number): void {
    this.pausedUntil = Math.max(this.pausedUntil, time);
  }

  /** Shortens the pause to the narrowest spread when the network may be back, but never below Retry-After. */
  hurry(): void {
    if (!this.isGuess || this.wait() === 0) return;
    const { clock, random } = this.ports;
    this.pausedUntil = Math.min(this.pausedUntil, clock.monotonic() + waitAfter(1, 0, random.fraction()));
    for (const entry of this.outbox.entries.values()) {
      if (!entry.batch.tooLarge) entry.due = Math.min(entry.due, this.pausedUntil);
    }
  }

  /** True if the request can outlive the page. */
  fits({ bytes }: Batch): boolean {
    return this.flying < keepalive.requests && this.flyingBytes + bytes <= keepalive.bytes;
  }

  /** Sends a batch and handles the answer. Never rejects. */
  async send(entry: Entry): Promise<void> {
    const { batch } = entry;
    const lasts = this.fits(batch);
    entry.isInFlight = true;
    this.flying++;
    this.flyingBytes += batch.bytes;
    try {
      const texts = await this.prepare(entry);
      if (!texts) return;
      const answer = await this.exchange(this.requestOf(batch, bodyOf(texts), lasts));
      if (this.isKnown(entry)) await this.settle(entry, texts, answer);
    } catch (error) {
      this.reporter.storageFailed(error);
      await this.postpone(entry, undefined);
    } finally {
      entry.isInFlight = false;
      this.flying--;
      this.flyingBytes -= batch.bytes;
    }
  }

  /** Records a try in the store before it is made: a crash leaves it in doubt. Undefined if the batch is gone. */
  private async prepare(entry: Entry): Promise<readonly string[] | undefined> {
    const { batch } = entry;
    const { clock, queue } = this.ports;
    const texts = entry.texts ?? (await queue.read(batch.key));
    batch.tries++;
    batch.lastTry = clock.now();
    // Reset the earlier try's value, because after a crash it would be compared with the time of this try.
    batch.nextTry = 0;
    batch.firstTry ||= batch.lastTry;
    const isThere = await this.save(entry, 1);
    if (texts && texts.length > 0 && isThere && this.isKnown(entry)) return texts;
    this.outbox.forget(entry);
    return undefined;
  }

  /** False if consent was denied meanwhile; then nothing more is sent or written. */
  private isKnown(entry: Entry): boolean {
    return this.outbox.entries.get(entry.batch.key) === entry;
  }

  /** Saves the tries. Returns false if this client must no longer send the batch. */
  private async save(entry: Entry, doubts: number): Promise<boolean> {
    const { batch } = entry;
    batch.doubts += doubts;
    if (!entry.isStored) return true;
    try {
      const stored = await this.ports.queue.update(batch, doubts);
      batch.doubts = stored ?? batch.doubts;
      return stored !== undefined || this.outbox.wasLost(entry);
    } catch (error) {
      this.reporter.storageFailed(error);
      return (await this.ports.queue.read(batch.key)) !== undefined || this.outbox.wasLost(entry);
    }
  }

  private requestOf({ key, host, sourceIdentifier, kind }: Batch, body: string, lasts: boolean): HttpRequest {
    return {
      method: 'POST',
      url: `${host}/api/tracker/sdk/${encodeURIComponent(sourceIdentifier)}/${kind}Batch`,
      headers: {
        Authorization: `Bearer ${this.settings.apiKey}`,
        'Content-Type': 'application/json',
        'Idempotency-Key': key,
        Prefer: 'handling=lenient',
      },
      body,
      keepalive: lasts,
    };
  }

  /** Sends a request. Resolves with undefined if there is no answer. */
  private async exchange(request: HttpRequest): Promise<HttpAnswer | undefined> {
    const exchange = this.ports.transport.send(request);
    let cancel: (() => void) | undefined;
    const silence = new Promise<undefined>((resolve) => {
      cancel = this.ports.clock.later(timeoutMs, () => {
        exchange.abort();
        resolve(undefined);
      });
    });
    try {
      return await Promise.race([exchange.answer, silence]);
    } catch {
      return undefined;
    } finally {
      cancel?.();
    }
  }

  private async settle(entry: Entry, texts: readonly string[], answer: HttpAnswer | undefined): Promise<void> {
    const { batch } = entry;
    const verdict = verdictOf(answer);
    const requestId = answer?.header('x-request-id') ?? undefined;
    this.reporter.debug(`batch ${batch.key}: ${answer?.status ?? 'no answer'} ${requestId ?? ''}`);
    if (verdict.is === 'stored') return this.stored(entry, verdict, requestId);
    // The service has certainly not stored the batch in this try.
    if (!(verdict.is === 'later' && verdict.isDoubtful)) await this.save(entry, -1);
    if (verdict.is === 'later') return this.postpone(entry, answer);
    if (verdict.is === 'unauthorized') {
      this.rest(inWords(verdict.reasons), requestId);
      return;
    }
    if (verdict.is === 'too-large') {
      if (batch.doubts > 0) return this.setAside(entry);
      if (texts.length > 1) return this.split(entry, texts);
    }
    await this.outbox.remove(entry);
    this.refused(verdict.reasons, batch.count, requestId);
  }

  private async stored(
    entry: Entry,
    { rejected, dropped }: Extract<Verdict, { is: 'stored' }>,
    requestId: string | undefined,
  ): Promise<void> {
    const lost = Math.min(messagesNamed(rejected), entry.batch.count);
    this.failures = this.rests = 0;
    this.outbox.sent += entry.batch.count - lost;
    await this.outbox.remove(entry);
    if (rejected.length > 0) this.refused(rejected, lost, requestId);
    if (dropped.length > 0) this.refused(dropped, 0, requestId);
  }

  private refused(reasons: Parameters<typeof inWords>[0], count: number, requestId: string | undefined): void {
    this.reporter.report({ code: 'refused', message: inWords(reasons), count, ...(requestId && { requestId }) });
  }

  private async postpone(entry: Entry, answer: HttpAnswer | undefined): Promise<void> {
    const { clock, random } = this.ports;
    const retryAfter = answer ? retryAfterOf(answer, clock.now()) : 0;
    this.isGuess = retryAfter === 0;
    const wait = waitAfter(Math.max(++this.failures, entry.batch.tries), retryAfter, random.fraction());
    await this.delay(entry, wait);
    this.pauseUntil(entry.due);
  }

  private async delay(entry: Entry, wait: number): Promise<void> {
    const { clock } = this.ports;
    entry.due = clock.monotonic() + wait;
    // Take both times from the same clock setting: the user may have set the clock since the try began.
    entry.batch.lastTry = clock.now();
    entry.batch.nextTry = entry.batch.lastTry + wait;
    await this.save(entry, 0);
  }

  private rest(message: string, requestId: string | undefined): void {
    const { clock, random } = this.ports;
    this.isGuess = false;
    this.pauseUntil(clock.monotonic() + restAfter(++this.rests, random.fraction()));
    if (this.rests === 1) this.reporter.report({ code: 'unauthorized', message, ...(requestId && { requestId }) });
  }

  /** Keeps a batch unchanged, because the service may have stored its messages with this key and these positions. */
  private async setAside(entry: Entry): Promise<void> {
    await this.delay(entry, restAfter(++entry.batch.tooLarge, this.ports.random.fraction()));
  }

  private async split(entry: Entry, texts: readonly string[]): Promise<void> {
    const half = Math.ceil(texts.length / 2);
    const parts = [0, half].map((from) => {
      const part = texts.slice(from, from === 0 ? half : texts.length);
      const batch = { ...newBatch({ ...entry.batch, key: derivedKey(entry.batch.key, from) }), sealed: true };
      measure(batch, part);
      return { batch, texts: part };
    });
    if (entry.isStored && !(await this.ports.queue.replace(entry.batch.key, parts))) return this.setAside(entry);
    this.outbox.forget(entry);
    for (const { batch, texts: part } of parts) {
      this.outbox.enter({ ...newEntry(batch, [...part]), isReady: true, isStored: entry.isStored });
    }
  }
}
