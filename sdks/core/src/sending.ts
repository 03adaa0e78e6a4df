import { inWords, messagesNamed, type Refusal, verdictOf } from './answer.js';
import { type Batch, halvesOf } from './batch.js';
import { type Entry, newEntry } from './entry.js';
import { type Pace } from './pace.js';
import { type Parts } from './parts.js';
import { type Pending } from './pending.js';
import { type HttpAnswer, type HttpRequest } from './ports.js';
import { batchRequest } from './request.js';
import { restAfter, retryAfterOf } from './retry-policy.js';
import { ServiceClock } from './service-clock.js';
import { type SluiceErrorCode } from './sluice-error.js';

const timeoutMs = 30_000;
/** Consecutive tries without an answer of the service that make an outage. */
const triesOfOutage = 3;
/** Browsers allow a page 64 KiB and about ten requests that outlive it. */
const maxKeepaliveBytes = 60 * 1_024;
const maxKeepaliveRequests = 9;

/** Sends batches to the service and acts on the answers. The schedule of the tries is in retry-policy.ts. */
export class Sending {
  readonly #parts: Parts;
  readonly #pending: Pending;
  readonly #pace: Pace;
  readonly #service: ServiceClock;
  /** Consecutive tries without an answer of the service. */
  #silences = 0;
  /** Messages that the service has confirmed since the client started. */
  #sent = 0;
  /** Requests under way, and their bytes. */
  #underWay = 0;
  #bytesUnderWay = 0;

  constructor(parts: Parts, pending: Pending, pace: Pace) {
    this.#parts = parts;
    this.#pending = pending;
    this.#pace = pace;
    this.#service = new ServiceClock(parts.clock);
  }

  get sent(): number {
    return this.#sent;
  }

  get isIdle(): boolean {
    return this.#underWay === 0;
  }

  get canSend(): boolean {
    return this.#pace.allows(this.#underWay);
  }

  /** True if the request can outlive the page. */
  fits({ bytes }: Batch): boolean {
    return this.#underWay < maxKeepaliveRequests && this.#bytesUnderWay + bytes <= maxKeepaliveBytes;
  }

  /** Sends a batch and handles the answer. Never rejects. */
  async send(entry: Entry): Promise<void> {
    const { batch } = entry;
    const keepalive = this.fits(batch);
    entry.isInFlight = true;
    entry.pausesBefore = this.#pace.pauses;
    this.#underWay++;
    this.#bytesUnderWay += batch.bytes;
    try {
      await this.#try(entry, keepalive);
    } catch (error) {
      this.#parts.reporter.storageFailed(error);
      await this.#postpone(entry, undefined);
    } finally {
      entry.isInFlight = false;
      this.#underWay--;
      this.#bytesUnderWay -= batch.bytes;
    }
  }

  async #try(entry: Entry, keepalive: boolean): Promise<void> {
    const { batch } = entry;
    // 1. Record the try in the store: a crash after this line leaves it in doubt.
    const texts = await this.#prepare(entry);
    if (!texts) return;
    if (!this.#pace.isCurrent(entry)) {
      // Another request has failed while this one was prepared: take the try back.
      batch.tries--;
      await this.#save(entry, -1);
      return;
    }
    // 2. Send it.
    const answer = await this.#answerTo(batchRequest(batch, this.#parts.apiKey, texts, keepalive));
    // 3. Act on the answer, unless consent was denied.
    if (this.#pending.has(entry)) await this.#settle(entry, texts, answer);
    this.#expire(entry);
  }

  /** Records a try in the store. Resolves with the messages; undefined if the batch is gone. */
  async #prepare(entry: Entry): Promise<readonly string[] | undefined> {
    const { clock, queue } = this.#parts;
    const { batch } = entry;
    const read = entry.texts ?? queue?.read(batch.key);
    batch.tries++;
    batch.lastTry = clock.now();
    // Reset the earlier try's value, because after a crash it would be compared with the time of this try.
    batch.nextTry = 0;
    entry.triedAt ??= clock.monotonic();
    batch.firstTry ||= this.#service.at(entry.triedAt);
    // Both at once, so that a store can do them in one step.
    const [texts, isThere] = await Promise.all([read, this.#save(entry, 1)]);
    if (texts?.length && isThere && this.#pending.has(entry)) return texts;
    this.#pending.forget(entry);
    return undefined;
  }

  /** Saves the tries. Returns false if this client must no longer send the batch. */
  async #save(entry: Entry, doubts: number): Promise<boolean> {
    const { queue } = this.#parts;
    const { batch } = entry;
    batch.doubts += doubts;
    if (!entry.isStored) return true;
    let known: unknown;
    try {
      known = await queue?.update(batch, doubts);
      if (typeof known === 'number') batch.doubts = known;
    } catch (error) {
      this.#parts.reporter.storageFailed(error);
      try {
        known = await queue?.read(batch.key);
      } catch {
        // The store cannot say that the batch is gone.
        return true;
      }
    }
    return known !== undefined || this.#pending.wasLost(entry);
  }

  /** Sends a request. Resolves with undefined if there is no answer. */
  #answerTo(request: HttpRequest): Promise<HttpAnswer | undefined> {
    const { clock, transport } = this.#parts;
    return new Promise((resolve) => {
      const exchange = transport.send(request);
      const giveUp = (): void => {
        resolve(undefined);
      };
      const cancel = clock.later(timeoutMs, () => {
        exchange.abort();
        giveUp();
      });
      void exchange.answer.then(resolve, giveUp).finally(cancel);
    });
  }

  async #settle(entry: Entry, texts: readonly string[], answer: HttpAnswer | undefined): Promise<void> {
    const { batch } = entry;
    const { is, isOfService, reasons, dropped } = verdictOf(answer);
    const report = (code: SluiceErrorCode, list: readonly Refusal[], count?: number): void => {
      const requestId = answer?.header('x-request-id') ?? undefined;
      if (list.length > 0) this.#parts.reporter.report(code, inWords(list), { count, requestId });
    };
    this.#parts.reporter.debug?.(`batch ${batch.key}: ${answer?.status ?? 'no answer'}`);
    if (isOfService) this.#hear(entry, answer);
    else if (this.#pace.isCurrent(entry)) this.#noteSilence(answer);
    if (is === 'unknown') return this.#postpone(entry, answer);
    if (is === 'stored') {
      const lost = Math.min(messagesNamed(reasons), batch.count);
      this.#pace.succeed(entry);
      this.#sent += batch.count - lost;
      await this.#pending.remove(entry);
      report('refused', reasons, lost);
      report('refused', dropped, 0);
      return;
    }
    // The service has certainly not stored the batch: take the doubt back.
    await this.#save(entry, -1);
    if (is === 'later') await this.#postpone(entry, answer);
    else if (is === 'unauthorized') {
      if (this.#pace.rest(entry)) report(is, reasons);
    } else if (is === 'too-large' && batch.doubts > 0) await this.#setAside(entry);
    else if (is === 'too-large' && texts.length > 1) await this.#split(entry, texts);
    else {
      await this.#pending.remove(entry);
      report('refused', reasons, batch.count);
    }
  }

  /** Learns the time of an answer of the service, which ends an outage. */
  #hear({ batch, triedAt }: Entry, answer: HttpAnswer | undefined): void {
    this.#silences = 0;
    this.#service.set(answer);
    batch.firstTry ||= this.#service.at(triedAt ?? this.#parts.clock.monotonic());
  }

  /** Reports `unreachable` once per outage, at the try that makes it one. */
  #noteSilence(answer: HttpAnswer | undefined): void {
    if (++this.#silences !== triesOfOutage) return;
    const what = answer ? `${answer.status} is not of the service` : 'no answer';
    this.#parts.reporter.report('unreachable', `${this.#parts.host}: ${what}`);
    this.#parts.reporter.debug?.('check the host, the network, content blockers, CORS and the CSP');
  }

  /** Gives up a batch older than `maxAge` after a failed try, by the service's clock or the monotonic one. */
  #expire(entry: Entry): void {
    const { batch, triedAt } = entry;
    const now = this.#parts.clock.monotonic();
    const known = batch.firstTry ? this.#service.at(now) - batch.firstTry : 0;
    const age = Math.max(known, triedAt === undefined ? 0 : now - triedAt);
    if (age > this.#parts.maxAge && this.#pending.has(entry)) this.#pending.giveUp(entry, 'expired');
  }

  /** Tries the batch again after a pause. */
  async #postpone(entry: Entry, answer: HttpAnswer | undefined): Promise<void> {
    await this.#delay(entry, this.#pace.fail(entry, retryAfterOf(answer, this.#parts.clock.now())));
  }

  /** Keeps a batch unchanged, because the service may have stored its messages with this key and these positions. */
  async #setAside(entry: Entry): Promise<void> {
    await this.#delay(entry, restAfter(++entry.batch.tooLarge, this.#parts.random.fraction()));
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
    const halves = halvesOf(batch, texts);
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
