import { derivedKey, type Kind, newBatch, utf8Bytes } from './batch.js';
import { type Entry, newEntry } from './entry.js';
import { type Settings } from './options.js';
import { type Outbox } from './outbox.js';
import { type Ports } from './ports.js';
import { type Reporter } from './reporter.js';

const kinds: readonly Kind[] = ['identify', 'track'];

/** Collects messages in one open batch per kind, which is in the store from its first message on. */
export class Batcher {
  private open: Partial<Record<Kind, Entry | undefined>> = {};
  private readonly timers: Partial<Record<Kind, (() => void) | undefined>> = {};
  /** False while consent is pending, when nothing is written. */
  isPersistent = false;

  constructor(
    private readonly settings: Settings,
    private readonly ports: Ports,
    private readonly outbox: Outbox,
    private readonly reporter: Reporter,
  ) {}

  add(kind: Kind, text: string): void {
    const { flushAt, flushInterval, maxBatchBytes } = this.settings;
    const bytes = utf8Bytes(text);
    const open = this.open[kind];
    if (open && open.batch.bytes + 1 + bytes > maxBatchBytes) void this.seal(kind);
    const entry = (this.open[kind] ??= this.begin(kind, this.ports.random.uuid('key')));
    this.append(entry, text, bytes);
    if (entry.batch.count >= flushAt) void this.seal(kind);
    else this.timers[kind] ??= this.ports.clock.later(flushInterval, () => void this.seal(kind));
  }

  /** Seals the open batches and hands them to the outbox. */
  async sealAll(): Promise<void> {
    await Promise.all(kinds.map((kind) => this.seal(kind)));
  }

  /** Writes the messages that were collected while consent was pending. */
  persist(): void {
    this.isPersistent = true;
    for (const entry of [...this.outbox.entries.values()]) {
      if (entry.isStored) continue;
      for (const at of (entry.texts ?? []).keys()) this.write(entry, at);
      if (entry.isReady) void this.close(entry);
    }
  }

  /** Forgets the open batches. */
  erase(): void {
    for (const kind of kinds) this.stop(kind);
    this.open = {};
    this.isPersistent = false;
  }

  private begin(kind: Kind, key: string): Entry {
    const { host, sourceIdentifier } = this.settings;
    const entry = newEntry(newBatch({ key, host, sourceIdentifier, kind, created: this.ports.clock.now() }), []);
    this.outbox.enter(entry);
    return entry;
  }

  private append(entry: Entry, text: string, bytes: number): void {
    const { batch, texts } = entry;
    const index = batch.count++;
    texts?.push(text);
    this.outbox.grow(batch, bytes + (index > 0 ? 1 : 0));
    if (this.isPersistent) this.write(entry, index);
  }

  /** Writes a message, before the call returns if the store is synchronous. */
  private write(entry: Entry, index: number): void {
    const text = entry.texts?.[index];
    if (entry.isRefused || text === undefined) return;
    try {
      const done = this.ports.queue.append(entry.batch, index, text);
      if (typeof done === 'boolean') this.written(entry, index, done);
      else {
        const settled = done.then(
          (isTaken) => {
            this.written(entry, index, isTaken);
          },
          (error: unknown) => {
            this.failed(entry, index, error);
          },
        );
        entry.writes = Promise.all([entry.writes, settled]);
      }
    } catch (error) {
      this.failed(entry, index, error);
    }
  }

  private written(entry: Entry, index: number, isTaken: boolean): void {
    if (isTaken) {
      entry.isStored = true;
      this.reporter.storageWorks();
    } else if (index === 0) this.failed(entry, index, 'the store takes no new batch');
    else this.moveOn(entry, index);
  }

  /** Ends the stored batch before a message that could not be written: later messages must keep their positions. */
  private failed(entry: Entry, index: number, cause: unknown): void {
    this.reporter.storageFailed(cause);
    if (index > 0) this.moveOn(entry, index);
    else entry.isRefused = true;
  }

  /** Ends the stored batch before this message and moves this and all later messages to a new batch. */
  private moveOn(entry: Entry, index: number): void {
    const { batch, texts } = entry;
    const moved = texts?.splice(index) ?? [];
    if (moved.length === 0) return;
    const sizes = moved.map(utf8Bytes);
    batch.count = index;
    this.outbox.grow(batch, -sizes.reduce((sum, bytes) => sum + 1 + bytes, 0), -moved.length);
    const next = this.begin(batch.kind, derivedKey(batch.key, index));
    for (const [at, text] of moved.entries()) this.append(next, text, sizes[at] ?? 0);
    if (this.open[batch.kind] === entry) {
      this.open[batch.kind] = next;
      void this.close(entry);
    } else void this.close(next);
  }

  private async seal(kind: Kind): Promise<void> {
    const entry = this.open[kind];
    this.stop(kind);
    this.open[kind] = undefined;
    if (entry) await this.close(entry);
  }

  private async close(entry: Entry): Promise<void> {
    entry.batch.sealed = true;
    if (entry.writes) await entry.writes;
    if (entry.isStored) {
      try {
        const count = await this.ports.queue.seal(entry.batch.key);
        if (count) this.moveOn(entry, count);
      } catch (error) {
        this.reporter.storageFailed(error);
      }
    }
    this.outbox.ready(entry);
  }

  private stop(kind: Kind): void {
    this.timers[kind]?.();
    this.timers[kind] = undefined;
  }
}
