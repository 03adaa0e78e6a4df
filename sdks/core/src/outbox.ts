import { type Batch, byAge } from './batch.js';
import { type Entry, newEntry } from './entry.js';
import { type Settings } from './options.js';
import { type Ports } from './ports.js';
import { type Reporter } from './reporter.js';
import { createSending } from './sending.js';

/** The pending batches as the sender sees them. */
export interface Pending {
  readonly entries: Map<string, Entry>;
  enter(entry: Entry): void;
  /** Removes the batch from memory; the store keeps it. */
  forget(entry: Entry): void;
  remove(entry: Entry): Promise<void>;
  /** Removes a batch that is lost, and reports it. */
  giveUp(entry: Entry, code: 'expired' | 'overflow'): void;
  /** True if a batch is missing because the store lost it, not because another client sent or divided it. */
  wasLost(entry: Entry): boolean;
}

export type Outbox = ReturnType<typeof createOutbox>;

/**
 * All pending batches, of this client and of earlier ones. A batch leaves the outbox only by an answer, by its age, or
 * because the queue is full.
 */
// eslint-disable-next-line max-lines-per-function -- a factory of short functions: private names cost a page nothing
export function createOutbox(settings: Settings, ports: Ports, reporter: Reporter, isCleared: () => boolean) {
  const { clock, queue, lifecycle } = ports;
  const entries = new Map<string, Entry>();
  /** Size of this source's batches. Others rest here until a client of their source comes. */
  let bytes = 0;
  let messages = 0;
  /** Messages that are only in memory. */
  let unsaved = 0;
  /** True when consent is granted and the store has been listed. */
  let isOpen = false;
  /** Number of callers that keep batches here even if another client is the sender. */
  let urgent = 0;
  let draining: Promise<void> | undefined;
  /** Lets `run` look again. */
  let nudge: (() => void) | undefined;
  let cancelTimer: (() => void) | undefined;
  let listing: Promise<void> | undefined;
  /** True if the store may have changed since its list was asked for. */
  let isStale = false;
  /** Keys of batches that were removed since the store was last asked for its list, which may still name them. */
  const removed = new Set<string>();
  const sending = createSending(settings, ports, reporter, { entries, enter, forget, remove, giveUp, wasLost });

  function enter(entry: Entry): void {
    entries.set(entry.batch.key, entry);
    if (!isOurs(entry)) return;
    messages += entry.batch.count;
    bytes += entry.batch.bytes;
    // A new batch is about to get its first message; one of an earlier owner gets none.
    const most = settings.maxMessages - (entry.batch.count ? 0 : 1);
    while (messages > most || bytes > settings.maxBytes) {
      const oldest = idle()
        .filter(isOurs)
        .sort((one, other) => byAge(one.batch, other.batch))[0];
      if (!oldest) break;
      giveUp(oldest, 'overflow');
    }
    tell();
  }

  function tell(): void {
    ports.queued?.(messages, bytes);
  }

  /** Notes that the store lacks more or fewer messages of the batch. */
  function unsave(entry: Entry, more: number): void {
    const change = Math.max(-entry.unsaved, more);
    if (change === 0) return;
    entry.unsaved += change;
    unsaved += change;
    ports.unsaved?.(unsaved);
  }

  function forget(entry: Entry): void {
    const { batch } = entry;
    if (!entries.delete(batch.key) || !isOurs(entry)) return;
    unsave(entry, -entry.unsaved);
    messages -= batch.count;
    bytes -= batch.bytes;
    tell();
  }

  async function remove(entry: Entry): Promise<void> {
    forget(entry);
    if (entry.isStored) {
      removed.add(entry.batch.key);
      await reporter.storing(() => queue?.remove(entry.batch));
    }
  }

  function giveUp(entry: Entry, code: 'expired' | 'overflow'): void {
    void remove(entry);
    reporter.report(code, `batch ${entry.batch.key}`, { count: entry.batch.count });
  }

  /** Notes that the store was cleared from outside, so that this client's batches may be only in memory. */
  function cleared(): void {
    for (const entry of entries.values()) entry.isCleared = entry.texts !== undefined;
  }

  function wasLost(entry: Entry): boolean {
    if (isCleared()) cleared();
    if (!entry.isCleared) return false;
    entry.isStored = false;
    // Another client may have sent it before the store was cleared.
    entry.batch.doubts++;
    return true;
  }

  /** Sealed batches that no request is under way for. */
  const idle = (): Entry[] => [...entries.values()].filter(({ isReady, isInFlight }) => isReady && !isInFlight);

  const isOurs = ({ batch }: Entry): boolean =>
    batch.host === settings.host && batch.sourceIdentifier === settings.sourceIdentifier;

  const isSending = (): boolean => urgent > 0 || lifecycle.isSender?.() !== false;
  /** True if this client sends the batch: no other one sees what is only in memory. */
  const isMine = (entry: Entry): boolean => isOurs(entry) && (!entry.isStored || isSending());

  /** Due batches. Those tried often come last, so that a batch that always fails does not block the others. */
  function waiting(): Entry[] {
    const now = clock.monotonic();
    const rank = ({ tries }: Batch): number => tries >> 2;
    // Entries are almost in order, so that sorting hardly costs more than looking through them.
    return idle()
      .filter((entry) => isMine(entry) && entry.due <= now)
      .sort(
        ({ batch: one }, { batch: other }) =>
          rank(one) - rank(other) || byAge(one, other) || one.kind.localeCompare(other.kind),
      );
  }

  async function launch(entry: Entry): Promise<void> {
    await sending.send(entry);
    void drain();
  }

  /** Sends the due batches. Resolves when none is due any more. */
  function drain(): Promise<void> {
    nudge?.();
    return (draining ??= run());
  }

  async function run(): Promise<void> {
    // Let the caller finish its synchronous work first.
    await Promise.resolve();
    for (;;) {
      cancelTimer?.();
      if (!isOpen) break;
      const entry = sending.canSend() && waiting()[0];
      if (entry) void launch(entry);
      else if (sending.isIdle()) break;
      else {
        await new Promise<void>((resolve) => {
          nudge = resolve;
        });
      }
    }
    draining = undefined;
    schedule();
  }

  function schedule(): void {
    if (!isOpen) return;
    // A batch in flight triggers the next drain itself.
    const due = Math.min(...idle().flatMap((entry) => (isMine(entry) ? entry.due : [])));
    if (due === Infinity) return;
    const wait = Math.max(sending.wait(), due - clock.monotonic());
    cancelTimer = clock.later(Math.ceil(wait), () => void drain());
  }

  /** Adopts the batches that earlier owners left in the store. */
  async function load(): Promise<void> {
    if (!queue) return;
    const lost = (await ports.lostBefore?.()) ?? 0;
    if (lost > 0)
      reporter.report('storage', 'earlier pages or processes ended before they were stored', { count: lost });
    removed.clear();
    const batches = await queue.list();
    const listed = new Set(batches.map(({ key }) => key));
    for (const entry of entries.values()) {
      if (!entry.texts && !entry.isInFlight && !listed.has(entry.batch.key)) forget(entry);
    }
    for (const batch of batches.sort(byAge)) {
      if (entries.has(batch.key)) continue;
      if (!batch.sealed) batch.count = (await queue.seal(batch)) ?? 0;
      const entry = newEntry({ ...batch, sealed: true });
      if (batch.count === 0) await remove(entry);
      // The batch may have been entered, or entered and removed, during the awaits above.
      else if (!entries.has(batch.key) && !removed.has(batch.key)) adopt(entry);
    }
  }

  /** Lists the store as often as it takes, never twice at once: eight tabs that all list keep their writes waiting. */
  async function list(): Promise<void> {
    for (; isStale; await reporter.storing(load)) isStale = false;
    listing = undefined;
  }

  function adopt(entry: Entry): void {
    const { nextTry, lastTry, tooLarge } = entry.batch;
    // Limit the wait to its original length in case the clock was set back.
    const wait = nextTry - Math.max(clock.now(), lastTry);
    entry.due = clock.monotonic() + Math.max(0, wait);
    entry.isReady = true;
    enter(entry);
    if (isOurs(entry) && !tooLarge) sending.pauseUntil(entry.due);
  }

  function stop(): void {
    isOpen = false;
    cancelTimer?.();
  }

  return {
    entries,
    enter,
    unsave,
    cleared,
    stop,
    left: () => messages,
    sent: () => sending.sent(),
    grow(batch: Batch, more: number, count = 1): void {
      batch.bytes += more;
      bytes += more;
      messages += count;
      tell();
    },
    /** Accepts a batch that gets no more messages. `stored` is the number of messages that the store has of it. */
    ready(entry: Entry, stored: number | undefined): void {
      if (!entries.has(entry.batch.key)) return;
      entry.isReady = true;
      if (stored && !isSending()) forget(entry);
      else void drain();
    },
    /** Lists the store, then sends, if `isWanted` still says so. */
    async start(isWanted: () => boolean): Promise<void> {
      isStale = true;
      await (listing ??= list());
      if (!isWanted()) return;
      isOpen = true;
      await drain();
    },
    erase(): void {
      stop();
      for (const entry of entries.values()) unsave(entry, -entry.unsaved);
      entries.clear();
      messages = bytes = 0;
    },
    /** Runs `work`. Batches that become ready during it stay here even if another client is the sender. */
    async hold(work: () => Promise<void>): Promise<void> {
      urgent++;
      await work();
      urgent--;
    },
    /** Sends everything at once, within the browser's limits, because the page may end. */
    sendAll(): void {
      if (!isOpen || sending.wait() > 0) return;
      for (const entry of waiting()) if (entry.texts && sending.fits(entry.batch)) void launch(entry);
    },
    /** Shortens waits, because the network may be back. */
    online(): void {
      sending.hurry();
      void drain();
    },
  };
}
