import { type Batch } from './batch.js';
import { type Entry, newEntry } from './entry.js';
import { type Settings } from './options.js';
import { type Ports } from './ports.js';
import { type Reporter } from './reporter.js';
import { Sending } from './sending.js';

/**
 * All pending batches, of this client and of earlier ones. Sends one at a time. A batch leaves the outbox only by an
 * answer, by its age, or because the queue is full.
 */
export class Outbox {
  readonly entries = new Map<string, Entry>();
  /** Messages that the service has confirmed since the client started. */
  sent = 0;
  private bytes = 0;
  private messages = 0;
  private isRunning = false;
  /** True when consent is granted and the store has been listed. */
  private isOpen = false;
  /** Number of callers that keep batches here even if another client is the sender. */
  private urgent = 0;
  private draining: Promise<void> | undefined;
  private cancelTimer: (() => void) | undefined;
  private readonly sending: Sending;

  constructor(
    private readonly settings: Settings,
    private readonly ports: Ports,
    private readonly reporter: Reporter,
    private readonly isCleared: () => boolean,
  ) {
    this.sending = new Sending(settings, ports, reporter, this);
  }

  get left(): number {
    return this.messages;
  }

  enter(entry: Entry): void {
    this.entries.set(entry.batch.key, entry);
    this.messages += entry.batch.count;
    this.bytes += entry.batch.bytes;
    // A new batch is about to get its first message; one of an earlier owner gets none.
    this.evict(entry.batch.count === 0 ? 1 : 0);
  }

  grow(batch: Batch, bytes: number, messages = 1): void {
    batch.bytes += bytes;
    this.bytes += bytes;
    this.messages += messages;
  }

  /** Notes that the store was cleared from outside, so that this client's batches may be only in memory. */
  cleared(): void {
    for (const entry of this.entries.values()) entry.isCleared = entry.texts !== undefined;
  }

  /** True if a batch is missing because the store lost it, not because another client sent or divided it. */
  wasLost(entry: Entry): boolean {
    if (this.isCleared()) this.cleared();
    if (!entry.isCleared) return false;
    entry.isStored = false;
    // Another client may have sent it before the store was cleared.
    entry.batch.doubts++;
    return true;
  }

  /** Removes the batch from memory; the store keeps it. */
  forget({ batch }: Entry): void {
    if (!this.entries.delete(batch.key)) return;
    this.messages -= batch.count;
    this.bytes -= batch.bytes;
  }

  async remove(entry: Entry): Promise<void> {
    this.forget(entry);
    if (!entry.isStored) return;
    try {
      await this.ports.queue.remove(entry.batch);
    } catch (error) {
      this.reporter.storageFailed(error);
    }
  }

  /** Accepts a batch that gets no more messages. */
  ready(entry: Entry): void {
    if (!this.entries.has(entry.batch.key)) return;
    entry.isReady = true;
    if (this.isSender() || this.urgent > 0 || !entry.isStored) void this.drain();
    else this.forget(entry);
  }

  /** Adopts the batches that earlier owners left in the store. */
  async load(): Promise<void> {
    const { clock, queue } = this.ports;
    try {
      const batches = await queue.list();
      const listed = new Set(batches.map(({ key }) => key));
      for (const entry of [...this.entries.values()]) {
        if (!entry.texts && !entry.isInFlight && !listed.has(entry.batch.key)) this.forget(entry);
      }
      for (const batch of batches.sort((one, other) => one.created - other.created)) {
        if (this.entries.has(batch.key)) continue;
        if (!batch.sealed) batch.count = (await queue.seal(batch.key)) ?? 0;
        const entry = newEntry({ ...batch, sealed: true });
        if (batch.count === 0) await this.remove(entry);
        // The batch may have been entered during the awaits above.
        else if (!this.entries.has(batch.key)) {
          entry.isReady = true;
          // Limit the wait to its original length in case the clock was set back.
          const wait = Math.min(batch.nextTry - clock.now(), batch.nextTry - batch.lastTry);
          entry.due = clock.monotonic() + Math.max(0, wait);
          this.enter(entry);
          if (this.isOurs(batch) && !batch.tooLarge) this.sending.pauseUntil(entry.due);
        }
      }
    } catch (error) {
      this.reporter.storageFailed(error);
    }
  }

  /** Starts sending. */
  async start(): Promise<void> {
    this.isOpen = true;
    await this.drain();
  }

  stop(): void {
    this.isOpen = false;
    this.cancelTimer?.();
  }

  erase(): void {
    this.stop();
    this.entries.clear();
    this.messages = this.bytes = 0;
  }

  /** Sends the due batches one after the other. Resolves when none is due any more. */
  drain(): Promise<void> {
    if (!this.isRunning) {
      this.isRunning = true;
      this.draining = this.run();
    }
    return this.draining ?? Promise.resolve();
  }

  /** Runs `work`. Batches that become ready during it stay here even if another client is the sender. */
  async hold(work: () => Promise<void>): Promise<void> {
    this.urgent++;
    try {
      await work();
    } finally {
      this.urgent--;
    }
  }

  /** Runs `work`, then sends ready batches even if another client is the sender. */
  urgently(work: () => Promise<void>): Promise<void> {
    return this.hold(async () => {
      await work();
      await this.drain();
    });
  }

  /** Sends everything at once, within the browser's limits, because the page may end. */
  sendAll(): void {
    if (!this.isOpen || this.sending.wait() > 0) return;
    for (const entry of this.waiting()) {
      if (entry.texts && this.sending.fits(entry.batch)) void this.sending.send(entry).then(() => this.drain());
    }
  }

  /** Shortens waits, because the network may be back. */
  online(): void {
    this.sending.hurry();
    void this.drain();
  }

  private async run(): Promise<void> {
    // Let the caller finish its synchronous work first.
    await Promise.resolve();
    for (;;) {
      this.cancelTimer?.();
      if (this.isOpen) this.expire();
      const next = this.isOpen && (this.isSender() || this.urgent > 0) ? this.next() : undefined;
      if (!next) break;
      await this.sending.send(next);
    }
    this.isRunning = false;
    this.schedule();
  }

  private next(): Entry | undefined {
    if (this.sending.wait() > 0) return undefined;
    return this.waiting()[0];
  }

  /** Due batches. Those tried often come last, so that a batch that always fails does not block the others. */
  private waiting(): Entry[] {
    const now = this.ports.clock.monotonic();
    const rank = ({ batch }: Entry): number => batch.tries >> 2;
    return this.ours()
      .filter(({ isInFlight, due }) => !isInFlight && due <= now)
      .sort(
        (one, other) =>
          rank(one) - rank(other) ||
          one.batch.created - other.batch.created ||
          Number(one.batch.kind === 'track') - Number(other.batch.kind === 'track'),
      );
  }

  private ours(): Entry[] {
    return [...this.entries.values()].filter(({ isReady, batch }) => isReady && this.isOurs(batch));
  }

  private isOurs({ host, sourceIdentifier }: Batch): boolean {
    return host === this.settings.host && sourceIdentifier === this.settings.sourceIdentifier;
  }

  private isSender(): boolean {
    return this.ports.lifecycle.isSender?.() !== false;
  }

  private schedule(): void {
    if (!this.isOpen || !this.isSender()) return;
    const { clock } = this.ports;
    // A batch in flight triggers the next drain itself.
    const dues = this.ours().flatMap(({ due, isInFlight }) => (isInFlight ? [] : [due]));
    if (dues.length === 0) return;
    const wait = Math.max(this.sending.wait(), Math.min(...dues) - clock.monotonic(), 0);
    this.cancelTimer = clock.later(Math.ceil(wait), () => void this.drain());
  }

  private expire(): void {
    const now = this.ports.clock.now();
    for (const entry of [...this.entries.values()]) {
      const { batch, isReady, isInFlight } = entry;
      const since = batch.firstTry || (this.isOurs(batch) ? now : batch.created);
      if (!isReady || isInFlight || now - since <= this.settings.maxAge) continue;
      void this.remove(entry);
      this.reporter.report({ code: 'expired', message: 'too old to be sent', count: batch.count });
    }
  }

  private evict(coming: number): void {
    const { maxMessages, maxBytes } = this.settings;
    while (this.messages + coming > maxMessages || this.bytes > maxBytes) {
      const oldest = [...this.entries.values()]
        .filter(({ isReady, isInFlight }) => isReady && !isInFlight)
        .reduce<Entry | undefined>((a, b) => (a && a.batch.created <= b.batch.created ? a : b), undefined);
      if (!oldest) return;
      void this.remove(oldest);
      this.reporter.report({ code: 'overflow', message: 'the queue is full', count: oldest.batch.count });
    }
  }
}
