import { type Batch } from './batch.js';
import { type Entry, newEntry } from './entry.js';
import { type Settings } from './options.js';
import { type Ports } from './ports.js';
import { type Reporter } from './reporter.js';
import { Sending } from './sending.js';

/**
 * All batches that wait, of this client and of those before it. Sends one at a time; each dies only of an answer, of its
 * age, or of a queue that is full.
 */
export class Outbox {
  readonly entries = new Map<string, Entry>();
  /** Messages that the service confirmed, since the client began. */
  sent = 0;
  private bytes = 0;
  private messages = 0;
  private isRunning = false;
  /** Consent is granted and the store was listed. */
  private isOpen = false;
  /** While it is set, batches stay here though another client is the sender. */
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
    this.evict();
  }

  grow(batch: Batch, bytes: number, messages = 1): void {
    batch.bytes += bytes;
    this.bytes += bytes;
    this.messages += messages;
  }

  /** The store was cleared by somebody else: what it had of this client's is in memory only, if it is gone. */
  cleared(): void {
    for (const entry of this.entries.values()) entry.isCleared = entry.texts !== undefined;
  }

  /** Whether a batch that the store does not have was lost there, and not sent or divided by another client. */
  wasLost(entry: Entry): boolean {
    if (this.isCleared()) this.cleared();
    if (!entry.isCleared) return false;
    entry.isStored = false;
    // Another client may have sent it before.
    entry.batch.doubts++;
    return true;
  }

  /** Takes it out of memory; the store still has it. */
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

  /** A batch that gets no more messages. */
  ready(entry: Entry): void {
    if (!this.entries.has(entry.batch.key)) return;
    entry.isReady = true;
    if (this.isSender() || this.urgent > 0 || !entry.isStored) void this.drain();
    else this.forget(entry);
  }

  /** Takes over what earlier owners left. */
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
        // Meanwhile it may have come here by another way.
        else if (!this.entries.has(batch.key)) {
          entry.isReady = true;
          // A clock that was set back makes nothing wait longer than it had to.
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

  /** Lets batches go out from now on. */
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

  /** Sends, one after the other, what may be sent now. Resolves when nothing is left to be done now. */
  drain(): Promise<void> {
    if (!this.isRunning) {
      this.isRunning = true;
      this.draining = this.run();
    }
    return this.draining ?? Promise.resolve();
  }

  /** Runs `work`; batches that become ready meanwhile stay here even if another client is the sender. */
  async hold(work: () => Promise<void>): Promise<void> {
    this.urgent++;
    try {
      await work();
    } finally {
      this.urgent--;
    }
  }

  /** Runs `work`, and sends what is ready even if another client is the sender. */
  urgently(work: () => Promise<void>): Promise<void> {
    return this.hold(async () => {
      await work();
      await this.drain();
    });
  }

  /** The page may end: everything goes out at once, as far as the browser lets it. */
  sendAll(): void {
    if (!this.isOpen || this.sending.wait() > 0) return;
    for (const entry of this.waiting()) {
      if (entry.texts && this.sending.fits(entry.batch)) void this.sending.send(entry).then(() => this.drain());
    }
  }

  /** The network may be back. */
  online(): void {
    this.sending.hurry();
    void this.drain();
  }

  private async run(): Promise<void> {
    // Whoever calls has finished what it does at this moment.
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

  /** Batches that may be sent now. Those tried often come after the others: one that never passes blocks none. */
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
    // What is on its way brings the next drain by itself.
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

  private evict(): void {
    const { maxMessages, maxBytes } = this.settings;
    while (this.messages >= maxMessages || this.bytes > maxBytes) {
      const oldest = [...this.entries.values()]
        .filter(({ isReady, isInFlight }) => isReady && !isInFlight)
        .reduce<Entry | undefined>((a, b) => (a && a.batch.created <= b.batch.created ? a : b), undefined);
      if (!oldest) return;
      void this.remove(oldest);
      this.reporter.report({ code: 'overflow', message: 'the queue is full', count: oldest.batch.count });
    }
  }
}
