import { joinRefusals, isForQuota, countRefusedMessages, type Refusal, readVerdict } from './answer.js';
import { batchBody, splitBatch } from '../message/batch.js';
import { type Entry, isForHost, newEntry } from './entry.js';
import { type Pace } from './pace.js';
import { type Parts } from '../client/parts.js';
import { type Pending } from './pending.js';
import { type HttpAnswer, type HttpRequest } from '../ports/ports.js';
import { batchRequest, sendInTime } from './request.js';
import { restAfter, readRetryAfter, waitAfter } from './retry-policy.js';
import { ServiceClock } from './service-clock.js';
import { type SluiceErrorCode } from '../client/sluice-error.js';

/** Consecutive tries without an answer of the service that make an outage. */
const triesOfOutage = 3;
/** Time limit of compression; the body is sent as it is after it. */
const packMs = 1_000;
/** Length below which a body is not compressed. */
const minPackedBytes = 2_048;
/** Browsers allow a page 64 KiB and about ten requests that outlive it. */
const maxKeepaliveBytes = 60 * 1_024;
const maxKeepaliveRequests = 9;

/** Node says in the cause of an error what is wrong: the name, the certificate, the connection. */
const describeError = (error: unknown): string => {
  const { message, cause } = error as { message?: unknown; cause?: { message?: unknown } };
  return String(cause?.message ?? message ?? error);
};

/** Sends batches to the service and acts on the answers. The schedule of the tries is in retry-policy.ts. */
export class Sending {
  readonly #parts: Parts;
  readonly #pending: Pending;
  readonly #pace: Pace;
  readonly #serviceClock: ServiceClock;
  /** Consecutive tries without an answer of the service. */
  #silences = 0;
  /** Why the last request without an answer had none: an error of the platform; undefined after the time limit. */
  #noAnswerCause: unknown;
  /** Messages that the service has confirmed since the client started. */
  #sent = 0;
  /** Batches of the requests under way, with the bytes of their bodies. */
  readonly #underWay = new Map<Entry, number>();
  /** True after a refusal or an outage: something on the way may not understand compressed bodies. */
  #sendsPlain = false;

  constructor(parts: Parts, pending: Pending, pace: Pace) {
    this.#parts = parts;
    this.#pending = pending;
    this.#pace = pace;
    this.#serviceClock = new ServiceClock(parts.clock);
  }

  get sent(): number {
    return this.#sent;
  }

  get isIdle(): boolean {
    return this.#underWay.size === 0;
  }

  /** True if a request with this batch can begin. Batches for another host than the present one go one at a time. */
  canSend(entry: Entry): boolean {
    const isForPresentHost = this.#isForPresentHost(entry);
    const count = [...this.#underWay.keys()].filter(
      (running) => this.#isForPresentHost(running) === isForPresentHost,
    ).length;
    return isForPresentHost ? this.#pace.allows(count) : this.#pace.wait === 0 && count === 0;
  }

  /** True if the request can outlive the page. */
  canOutlivePage(entry: Entry): boolean {
    let bytes = this.#bytesOnWire(entry);
    for (const bodyBytes of this.#underWay.values()) bytes += bodyBytes;
    return this.#underWay.size < maxKeepaliveRequests && bytes <= maxKeepaliveBytes;
  }

  #bytesOnWire({ packed, batch }: Entry): number {
    return this.#sendsPlain ? batch.bytes : (packed?.length ?? batch.bytes);
  }

  /** Compresses the body of a batch before it is due, so that a page that ends has room for several. Never rejects. */
  async pack(entry: Entry, texts: readonly string[] | undefined = entry.texts): Promise<void> {
    const { transport } = this.#parts;
    if (!transport.pack || !texts || this.#sendsPlain || entry.batch.bytes < minPackedBytes) return;
    entry.isPacking = true;
    entry.packed = await new Promise((resolve) => {
      const cancel = this.#parts.clock.later(packMs, () => {
        resolve(undefined);
      });
      transport
        .pack?.(batchBody(texts))
        .then(resolve, () => {
          resolve(undefined);
        })
        .finally(cancel);
    });
    entry.isPacking = false;
  }

  /** Sends a batch and handles the answer. Never rejects. */
  async send(entry: Entry): Promise<void> {
    const keepalive = this.canOutlivePage(entry);
    entry.isInFlight = true;
    entry.pausesBefore = this.#pace.pauses;
    this.#underWay.set(entry, this.#bytesOnWire(entry));
    try {
      await this.#try(entry, keepalive);
    } catch (error) {
      this.#parts.reporter.storageFailed(error);
      await this.#postpone(entry, 0);
    } finally {
      entry.isInFlight = entry.isTail = false;
      this.#underWay.delete(entry);
    }
  }

  async #try(entry: Entry, keepalive: boolean): Promise<void> {
    const { batch } = entry;
    // 1. Record the try in the store: a crash after this line leaves it in doubt.
    const texts = await this.#prepare(entry);
    if (!texts) return;
    if (!entry.isTail && !this.#pace.isCurrent(entry)) {
      // Another request has failed while this one was prepared: take the try back.
      batch.tries--;
      await this.#save(entry, -1);
      return;
    }
    // 2. Send it.
    if (this.#sendsPlain) entry.packed = undefined;
    const { packed } = entry;
    const { apiKey, clock } = this.#parts;
    const answer = await this.#sendRequest({ ...batchRequest(batch, apiKey, texts, keepalive, clock.now()), packed });
    // 3. Act on the answer, unless consent was denied.
    if (this.#pending.has(entry)) await this.#settle(entry, texts, answer);
    this.#expire(entry);
  }

  /** Records a try in the store. Resolves with the messages; undefined if the batch is gone. */
  async #prepare(entry: Entry): Promise<readonly string[] | undefined> {
    const { clock, queue } = this.#parts;
    const { batch } = entry;
    const reading = entry.texts ?? queue?.read(batch.key);
    batch.tries++;
    batch.lastTry = clock.now();
    // Reset the earlier try's value, because after a crash it would be compared with the time of this try.
    batch.nextTry = 0;
    entry.triedAt ??= clock.monotonic();
    batch.firstTry ||= this.#serviceClock.at(entry.triedAt);
    // Both at once, so that a store can do them in one step.
    const [texts, isInStore] = await Promise.all([reading, this.#save(entry, 1)]);
    // A batch of an earlier page is not compressed yet. Consent may be denied, or a pause begin, until that is done.
    if (!entry.texts) await this.pack(entry, texts);
    if (texts?.length && isInStore && this.#pending.has(entry)) return texts;
    this.#pending.forget(entry);
    return undefined;
  }

  /** Saves the tries. Returns false if this client must no longer send the batch. */
  async #save(entry: Entry, doubts: number): Promise<boolean> {
    const { queue } = this.#parts;
    const { batch } = entry;
    batch.doubts += doubts;
    if (!entry.isStored) return true;
    let stored: unknown;
    try {
      stored = await queue?.update(batch, doubts);
      if (typeof stored === 'number') batch.doubts = stored;
    } catch (error) {
      this.#parts.reporter.storageFailed(error);
      try {
        stored = await queue?.read(batch.key);
      } catch {
        // The store cannot say that the batch is gone.
        return true;
      }
    }
    return stored !== undefined || this.#pending.wasLost(entry);
  }

  /** Sends a request. Resolves with undefined if there is no answer, and keeps the reason. */
  #sendRequest(request: HttpRequest): Promise<HttpAnswer | undefined> {
    return sendInTime(this.#parts, request, (cause) => {
      this.#noAnswerCause = cause;
    });
  }

  async #settle(entry: Entry, texts: readonly string[], answer: HttpAnswer | undefined): Promise<void> {
    const { batch } = entry;
    const { meaning: meaning, isFromService, reasons, dropped } = readVerdict(answer);
    const report = (code: SluiceErrorCode, refusals: readonly Refusal[], count?: number, outcome = ''): void => {
      const requestId = answer?.header('x-request-id') ?? undefined;
      if (refusals.length > 0)
        this.#parts.reporter.report(code, outcome + joinRefusals(refusals), { count, requestId });
    };
    this.#parts.reporter.debug?.(`batch ${batch.key}: ${answer?.status ?? 'no answer'}`);
    if (isFromService) this.#noteAnswer(entry, answer);
    else if (this.#pace.isCurrent(entry) && this.#isForPresentHost(entry)) this.#noteSilence(answer);
    const retryAfter = readRetryAfter(answer, this.#parts.clock.now(), isFromService);
    if (meaning === 'unknown') return this.#postpone(entry, retryAfter);
    if (meaning === 'stored') {
      const lost = Math.min(countRefusedMessages(reasons), batch.count);
      if (this.#isForPresentHost(entry)) this.#pace.succeed(entry);
      this.#sent += batch.count - lost;
      await this.#pending.remove(entry);
      report('refused', reasons, lost);
      report('refused', dropped, 0, 'stored without ');
      return;
    }
    // The service has certainly not stored the batch: take the doubt back.
    await this.#save(entry, -1);
    if (retryAfter > 0 && isForQuota(reasons)) await this.#awaitQuota(entry, retryAfter);
    else if (meaning === 'later') await this.#postpone(entry, retryAfter);
    else if (meaning === 'unauthorized') {
      if (!this.#isForPresentHost(entry))
        await this.#delay(entry, restAfter(batch.tries, this.#parts.random.fraction()));
      else if (this.#pace.rest(entry)) report(meaning, reasons);
    } else if (meaning === 'too-large' && batch.doubts > 0) await this.#setAside(entry);
    else if (meaning === 'too-large' && texts.length > 1) await this.#split(entry, texts);
    else if (entry.packed) {
      this.#sendsPlain = true;
    } else {
      await this.#pending.remove(entry);
      report('refused', reasons, batch.count);
    }
  }

  /** Learns the time of an answer of the service, which ends an outage. */
  #noteAnswer({ batch, triedAt }: Entry, answer: HttpAnswer | undefined): void {
    this.#silences = 0;
    this.#serviceClock.set(answer);
    batch.firstTry ||= this.#serviceClock.at(triedAt ?? this.#parts.clock.monotonic());
  }

  /** Reports `unreachable` once per outage, at the try that makes it one. */
  #noteSilence(answer: HttpAnswer | undefined): void {
    if (++this.#silences !== triesOfOutage) return;
    this.#sendsPlain = true;
    const cause = answer ? undefined : this.#noAnswerCause;
    const failure = answer
      ? `${answer.status} is not of the service`
      : `no answer${cause ? ` (${describeError(cause)})` : ''}`;
    this.#parts.reporter.report('unreachable', `${this.#parts.host}: ${failure}`, { cause });
    this.#parts.reporter.debug?.('check host, network, content blockers, CORS, CSP');
  }

  /** Gives up a batch older than `maxAge` after a failed try, by the service's clock or the monotonic one. */
  #expire(entry: Entry): void {
    const { batch, triedAt } = entry;
    const now = this.#parts.clock.monotonic();
    const serviceAge = batch.firstTry ? this.#serviceClock.at(now) - batch.firstTry : 0;
    const age = Math.max(serviceAge, triedAt === undefined ? 0 : now - triedAt);
    if (age > this.#parts.maxAge && this.#pending.has(entry)) this.#pending.giveUp(entry, 'expired');
  }

  /** Tries the batch again after a pause. */
  async #postpone(entry: Entry, retryAfter: number): Promise<void> {
    // Another host that is down must not delay batches for the present one.
    await this.#delay(
      entry,
      this.#isForPresentHost(entry) ? this.#pace.fail(entry, retryAfter) : this.#batchWait(entry, retryAfter),
    );
  }

  /**
   * Delays only the batches of the same daily quota: the service works, and its refusal is not a failed try.
   */
  async #awaitQuota(entry: Entry, retryAfter: number): Promise<void> {
    entry.batch.tries = 0;
    const delayed = this.#delay(entry, this.#batchWait(entry, retryAfter));
    if (this.#isForPresentHost(entry)) this.#pace.adopt(entry);
    await delayed;
  }

  /** The wait by the tries of the batch alone. */
  #batchWait({ batch }: Entry, retryAfter: number): number {
    return waitAfter(batch.tries, retryAfter, this.#parts.random.fraction());
  }

  /** Keeps a batch unchanged, because a service may have stored its messages with this key and these positions. */
  async #setAside(entry: Entry): Promise<void> {
    entry.notBefore = undefined;
    await this.#delay(entry, restAfter(++entry.batch.tooLarge, this.#parts.random.fraction()));
  }

  #isForPresentHost(entry: Entry): boolean {
    return isForHost(entry, this.#parts.host);
  }

  async #delay(entry: Entry, ms: number): Promise<void> {
    const { clock } = this.#parts;
    const { batch } = entry;
    entry.due = clock.monotonic() + ms;
    // Take both times from the same clock setting: the user may have set the clock since the try began.
    batch.lastTry = clock.now();
    batch.nextTry = batch.lastTry + ms;
    await this.#save(entry, 0);
  }

  /** Replaces a batch by its two halves. */
  async #split(entry: Entry, texts: readonly string[]): Promise<void> {
    const { batch, isStored } = entry;
    const halves = splitBatch(batch, texts);
    if (isStored && !(await this.#parts.queue?.replace(batch.key, halves))) {
      await this.#setAside(entry);
      return;
    }
    this.#pending.forget(entry);
    for (const half of halves) {
      this.#pending.enter({ ...newEntry(half.batch, half.texts), isReady: true, isStored });
    }
  }
}
