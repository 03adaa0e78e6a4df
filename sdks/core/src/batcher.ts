import { derivedKey, type Kind, newBatch, sealWith } from './batch.js';
import { type Entry, newEntry } from './entry.js';
import { type Settings } from './options.js';
import { type Outbox } from './outbox.js';
import { type Ports } from './ports.js';
import { type Reporter } from './reporter.js';

export type Batcher = ReturnType<typeof createBatcher>;

/** Collects messages in one open batch per kind, which is in the store from its first message on. */
// eslint-disable-next-line max-lines-per-function -- a factory of short functions: private names cost a page nothing
export function createBatcher(
  { host, sourceIdentifier, flushAt, flushInterval, maxBatchBytes }: Settings,
  { clock, queue, random }: Ports,
  outbox: Outbox,
  reporter: Reporter,
) {
  /** Identifies are sealed and sent first. */
  const open: Record<Kind, Entry | undefined> = { identify: undefined, track: undefined };
  /** Seals that are under way. */
  const seals = new Set<Promise<void>>();
  /** False while consent is pending, when nothing is written. */
  let isPersistent = false;

  /** Opens a batch, which is sealed after `flushInterval` at the latest. */
  function begin(kind: Kind, key: string): Entry {
    const entry = newEntry(newBatch({ key, host, sourceIdentifier, kind, created: clock.now() }), []);
    entry.cancelTimer = clock.later(flushInterval, () => seal(entry));
    outbox.enter(entry);
    return entry;
  }

  function append(entry: Entry, text: string, bytes: number): void {
    const { batch, texts } = entry;
    const index = batch.count++;
    texts?.push(text);
    outbox.grow(batch, bytes + (index > 0 ? 1 : 0));
    write(entry, index);
  }

  /** Writes a message, before the call returns if the store is synchronous. */
  function write(entry: Entry, index: number): void {
    const text = entry.texts?.[index];
    if (!queue || !isPersistent || text === undefined) return;
    if (entry.isRefused) {
      outbox.unsave(entry, 1);
      return;
    }
    const written = (taken: boolean | number, isLate = false): void => {
      if (taken === true) {
        if (isLate) outbox.unsave(entry, -1);
        entry.isStored = true;
        reporter.storageWorks();
      } else if (index > 0) moveOn(entry, taken || index);
      else failed('no room', isLate);
    };
    const failed = (cause: unknown, isLate = false): void => {
      reporter.storageFailed(cause);
      // Ends the stored batch before a message that could not be written: later messages must keep their positions.
      if (index > 0) moveOn(entry, index);
      else {
        entry.isRefused = true;
        if (!isLate) outbox.unsave(entry, 1);
      }
    };
    try {
      const done = queue.append(entry.batch, index, text);
      if (typeof done === 'object') {
        outbox.unsave(entry, 1);
        const later = done.then(
          (taken) => written(taken, true),
          (cause: unknown) => failed(cause, true),
        );
        entry.writes = Promise.all([entry.writes, later]);
      } else written(done);
    } catch (error) {
      failed(error);
    }
  }

  /** Ends the stored batch before this message and moves this and all later messages to a new batch. */
  function moveOn(entry: Entry, index: number): void {
    const { batch, texts } = entry;
    const moved = outbox.entries.has(batch.key) ? (texts?.splice(index) ?? []) : [];
    if (moved.length === 0) return;
    // The next batch counts those that it cannot write.
    outbox.unsave(entry, -moved.length);
    batch.count = index;
    outbox.grow(batch, sealWith(texts ?? []).bytes - batch.bytes, -moved.length);
    const next = begin(batch.kind, derivedKey(batch.key, index));
    next.texts = moved;
    next.batch.count = moved.length;
    outbox.grow(next.batch, sealWith(moved).bytes - next.batch.bytes, moved.length);
    const isOpen = open[batch.kind] === entry;
    if (isOpen) open[batch.kind] = next;
    // Only now: a message that cannot be written moves on itself.
    writeAll(next);
    close(isOpen ? entry : next);
  }

  function writeAll(entry: Entry): void {
    outbox.unsave(entry, -entry.unsaved);
    for (const at of (entry.texts ?? []).keys()) write(entry, at);
  }

  /** Seals a batch, unless that was done before. */
  function seal(entry: Entry): void {
    const { kind } = entry.batch;
    if (open[kind] !== entry) return;
    open[kind] = undefined;
    close(entry);
  }

  function sealOpen(): void {
    for (const entry of Object.values(open)) if (entry) seal(entry);
  }

  function close(entry: Entry): void {
    const sealed = finish(entry).finally(() => seals.delete(sealed));
    seals.add(sealed);
  }

  async function finish(entry: Entry): Promise<void> {
    entry.cancelTimer?.();
    entry.batch.sealed = true;
    // Lets `track` return before the seal is written.
    await entry.writes;
    const isThere = isPersistent && entry.isStored;
    const count = isThere ? await reporter.storing(() => queue?.seal(entry.batch)) : undefined;
    if (count) {
      moveOn(entry, count);
      if (queue?.hasTexts) entry.texts = undefined;
    }
    outbox.ready(entry, count);
  }

  return {
    add(kind: Kind, text: string, bytes: number): void {
      const last = open[kind];
      if (last && last.batch.bytes + 1 + bytes > maxBatchBytes) seal(last);
      const entry = (open[kind] ??= begin(kind, random.uuid('key')));
      append(entry, text, bytes);
      if (entry.batch.count >= flushAt) seal(entry);
    },
    /** Seals the open batches, and hands them to the outbox with those that are being sealed. */
    sealAll: async (): Promise<void> => {
      sealOpen();
      // A list: `Promise.all` of older Hermes reads no other iterable.
      await Promise.all([...seals]);
    },
    /** Writes what was collected while consent was pending. */
    persist(): void {
      isPersistent = true;
      for (const entry of [...outbox.entries.values()]) {
        if (!entry.isStored && !entry.writes) writeAll(entry);
        // Also one that is stored, and was sealed meanwhile.
        if (entry.isReady && entry.texts) close(entry);
      }
    },
    /** Writes nothing from now on. A batch in the store gets no messages that are only in memory. */
    pause(): void {
      isPersistent = false;
      sealOpen();
    },
    /** Forgets the open batches. */
    erase(): void {
      for (const entry of Object.values(open)) entry?.cancelTimer?.();
      open.identify = open.track = undefined;
    },
  };
}
