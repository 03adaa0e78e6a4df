import { inWords, messagesNamed, type Refusal, verdictOf } from './answer.js';
import { type Batch, derivedKey, sealedBatch } from './batch.js';
import { type Entry, newEntry } from './entry.js';
import { type Settings } from './options.js';
import { type Pending } from './outbox.js';
import { type HttpAnswer, type HttpRequest, type Ports } from './ports.js';
import { type Reporter } from './reporter.js';
import { batchRequest } from './request.js';
import { restAfter, retryAfterOf, waitAfter } from './retry-policy.js';
import { createServiceClock } from './service-clock.js';
import { type SluiceErrorCode } from './sluice-error.js';

const timeoutMs = 30_000;
/** Browsers allow a page 64 KiB and about ten requests that outlive it. */
const keepaliveBytes = 60 * 1_024;
const keepaliveRequests = 9;
/** Requests at a time while the service answers; browsers allow six connections to a host, and the page needs some. */
const maxConcurrent = 4;
/** Batches in a row that the service has to take before several are sent at a time. */
const warmUp = 4;
/** Tries in a row without an answer of the service that are reported as an outage. */
const silencesOfOutage = 3;

/** Sends batches to the service and acts on the answers. */
// eslint-disable-next-line max-lines-per-function -- a factory of short functions: private names cost a page nothing
export function createSending(
  { apiKey, host, maxAge }: Settings,
  { clock, queue, random, transport }: Ports,
  reporter: Reporter,
  pending: Pending,
) {
  /** Messages that the service has confirmed since the client started. */
  let sent = 0;
  /** Consecutive tries without a conclusive answer, and consecutive answers that made the client rest. */
  let failures = 0;
  let rests = 0;
  /** Consecutive tries without an answer of the service. */
  let silences = 0;
  const service = createServiceClock(clock);
  let pausedUntil = 0;
  /** Number of pauses, which tells whether a request was begun before the last one; and the deliveries since. */
  let pauses = 0;
  let delivered = 0;
  /** True if the pause is our own guess, which a hint can shorten. */
  let isGuess = false;
  let flying = 0;
  let flyingBytes = 0;

  /** Milliseconds until the next try. */
  const wait = (): number => Math.max(0, pausedUntil - clock.monotonic());

  function pauseUntil(time: number): void {
    pausedUntil = Math.max(pausedUntil, time);
  }

  /** True if the request can outlive the page. */
  const fits = ({ bytes }: Batch): boolean => flying < keepaliveRequests && flyingBytes + bytes <= keepaliveBytes;

  /** False if consent was denied meanwhile; then nothing more is sent or written. */
  const isKnown = (entry: Entry): boolean => pending.entries.get(entry.batch.key) === entry;

  /** True for the first of the requests that fail together. */
  function isFirst(begun: number): boolean {
    if (begun !== pauses) return false;
    pauses++;
    delivered = 0;
    return true;
  }

  /** Sends a batch and handles the answer. Never rejects. */
  async function send(entry: Entry): Promise<void> {
    const { batch } = entry;
    const lasts = fits(batch);
    const begun = pauses;
    entry.isInFlight = true;
    flying++;
    flyingBytes += batch.bytes;
    try {
      const texts = await prepare(entry);
      if (!texts) return;
      if (begun !== pauses) {
        // Another request has failed meanwhile.
        batch.tries--;
        await save(entry, -1);
        return;
      }
      const answer = await answerTo(batchRequest(batch, apiKey, texts, lasts));
      if (isKnown(entry)) await settle(entry, texts, answer, begun);
      expire(entry);
    } catch (error) {
      reporter.storageFailed(error);
      await postpone(entry, undefined, begun);
    } finally {
      entry.isInFlight = false;
      flying--;
      flyingBytes -= batch.bytes;
    }
  }

  /** Records a try in the store before it is made: a crash leaves it in doubt. Undefined if the batch is gone. */
  async function prepare(entry: Entry): Promise<readonly string[] | undefined> {
    const { batch } = entry;
    const read = entry.texts ?? queue?.read(batch.key);
    batch.tries++;
    batch.lastTry = clock.now();
    // Reset the earlier try's value, because after a crash it would be compared with the time of this try.
    batch.nextTry = 0;
    const triedAt = (entry.triedAt ??= clock.monotonic());
    batch.firstTry ||= service.at(triedAt);
    // Both at a time: a store can do them in one step.
    const [texts, isThere] = await Promise.all([read, save(entry, 1)]);
    if (texts?.length && isThere && isKnown(entry)) return texts;
    pending.forget(entry);
    return undefined;
  }

  /** Saves the tries. Returns false if this client must no longer send the batch. */
  async function save(entry: Entry, doubts: number): Promise<boolean> {
    const { batch } = entry;
    batch.doubts += doubts;
    if (!entry.isStored) return true;
    let known: unknown;
    try {
      known = await queue?.update(batch, doubts);
      if (typeof known === 'number') batch.doubts = known;
    } catch (error) {
      reporter.storageFailed(error);
      try {
        known = await queue?.read(batch.key);
      } catch {
        // A batch of which nobody can tell is not gone.
        return true;
      }
    }
    return known !== undefined || pending.wasLost(entry);
  }

  /** Sends a request. Resolves with undefined if there is no answer. */
  const answerTo = (request: HttpRequest): Promise<HttpAnswer | undefined> =>
    new Promise((resolve) => {
      const exchange = transport.send(request);
      const none = (): void => resolve(undefined);
      const cancel = clock.later(timeoutMs, () => {
        exchange.abort();
        none();
      });
      void exchange.answer.then(resolve, none).finally(cancel);
    });

  async function settle(
    entry: Entry,
    texts: readonly string[],
    answer: HttpAnswer | undefined,
    begun: number,
  ): Promise<void> {
    const { batch } = entry;
    const { is, isOfService, reasons, dropped } = verdictOf(answer);
    const requestId = answer?.header('x-request-id') ?? undefined;
    const report = (code: SluiceErrorCode, list: readonly Refusal[], count?: number): void => {
      if (list.length > 0) reporter.report(code, inWords(list), { count, requestId });
    };
    reporter.debug?.(`batch ${batch.key}: ${answer?.status ?? 'no answer'}`);
    if (isOfService) {
      silences = 0;
      service.hear(answer);
      batch.firstTry ||= service.at(entry.triedAt ?? clock.monotonic());
    } else if (begun === pauses) outage(answer);
    if (is === 'unknown') return postpone(entry, answer, begun);
    if (is === 'stored') {
      const lost = Math.min(messagesNamed(reasons), batch.count);
      failures = rests = 0;
      if (begun === pauses) delivered++;
      sent += batch.count - lost;
      await pending.remove(entry);
      report('refused', reasons, lost);
      report('refused', dropped, 0);
      return;
    }
    await save(entry, -1);
    if (is === 'later') await postpone(entry, answer, begun);
    else if (is === 'unauthorized') {
      if (!isFirst(begun)) return;
      isGuess = false;
      pauseUntil(clock.monotonic() + restAfter(++rests, random.fraction()));
      if (rests === 1) report(is, reasons);
    } else if (is === 'too-large' && batch.doubts > 0) await setAside(entry);
    else if (is === 'too-large' && texts.length > 1) await split(entry, texts);
    else {
      await pending.remove(entry);
      report('refused', reasons, batch.count);
    }
  }

  /** Reports an outage once, when it is more than a moment's. */
  function outage(answer: HttpAnswer | undefined): void {
    if (++silences !== silencesOfOutage) return;
    const what = answer ? `an answer ${answer.status} that is not the service's` : 'no answer';
    reporter.report('unreachable', `${host}: ${what}`);
    reporter.debug?.(
      `nothing is lost, tries go on. Check the host and its path, the network, content blockers, CORS and the Content Security Policy (connect-src ${host})`,
    );
  }

  /** Gives up a batch after a try that failed past its age, as the service or the monotonic clock knows it. */
  function expire(entry: Entry): void {
    const { batch, triedAt } = entry;
    const now = clock.monotonic();
    const known = batch.firstTry ? service.at(now) - batch.firstTry : 0;
    const age = Math.max(known, triedAt === undefined ? 0 : now - triedAt);
    if (age > maxAge && isKnown(entry)) pending.giveUp(entry, 'expired');
  }

  async function postpone(entry: Entry, answer: HttpAnswer | undefined, begun: number): Promise<void> {
    const retryAfter = retryAfterOf(answer, clock.now());
    const isNew = isFirst(begun);
    if (isNew) failures++;
    const delayed = delay(entry, waitAfter(Math.max(failures, entry.batch.tries), retryAfter, random.fraction()));
    isGuess = (isNew || isGuess) && retryAfter === 0;
    // Requests that fail together draw one pause: the latest of several would come too late for most clients.
    if (isNew || retryAfter > wait()) pauseUntil(entry.due);
    await delayed;
  }

  async function delay(entry: Entry, ms: number): Promise<void> {
    const { batch } = entry;
    entry.due = clock.monotonic() + ms;
    // Take both times from the same clock setting: the user may have set the clock since the try began.
    batch.lastTry = clock.now();
    batch.nextTry = batch.lastTry + ms;
    await save(entry, 0);
  }

  /** Keeps a batch unchanged, because the service may have stored its messages with this key and these positions. */
  const setAside = (entry: Entry): Promise<void> => delay(entry, restAfter(++entry.batch.tooLarge, random.fraction()));

  async function split(entry: Entry, texts: readonly string[]): Promise<void> {
    const { batch, isStored } = entry;
    const half = Math.ceil(texts.length / 2);
    const parts = [0, half].map((from) => {
      const part = texts.slice(from, from + half);
      return { batch: sealedBatch({ ...batch, key: derivedKey(batch.key, from) }, part), texts: part };
    });
    if (isStored && !(await queue?.replace(batch.key, parts))) return setAside(entry);
    pending.forget(entry);
    for (const part of parts) pending.enter({ ...newEntry(part.batch, part.texts), isReady: true, isStored });
  }

  return {
    wait,
    pauseUntil,
    fits,
    isIdle: () => flying === 0,
    /** False in a pause, and while as many requests are under way as may be: a single one ends an outage. */
    canSend: () => wait() === 0 && flying < (delivered < warmUp ? 1 : maxConcurrent),
    send,
    sent: () => sent,
    /** Shortens the pause to the narrowest spread when the network may be back, but never below Retry-After. */
    hurry(): void {
      if (!isGuess || wait() === 0) return;
      pausedUntil = Math.min(pausedUntil, clock.monotonic() + waitAfter(1, 0, random.fraction()));
      for (const entry of pending.entries.values()) {
        if (!entry.batch.tooLarge) entry.due = Math.min(entry.due, pausedUntil);
      }
    },
  };
}
