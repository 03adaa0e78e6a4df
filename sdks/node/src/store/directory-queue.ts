import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  unlinkSync,
  utimesSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { type Batch, type Clock, derivedKey, newBatch, type QueueStore, sealedBatch } from '@sluice/sdk-core';
import { append, contentOf, OpenFile } from './appending.js';
import { type FiledBatch } from './batch-file.js';
import { type Disk } from './disk.js';
import { frameOf } from './frames.js';
import { leftOwner, type Life, type Owner } from './owner.js';
import { readable, type Reporting } from './set-aside.js';
import { type Appended, Syncing } from './syncing.js';
import { writeWhole } from './whole-file.js';

export interface DirectoryParts {
  /** Contains a folder for each client, named after its owner. */
  readonly root: string;
  readonly owner: Owner;
  readonly disk: Disk;
  readonly clock: Clock;
  readonly lifeOf: (owner: Owner) => Life;
  readonly reporting: Reporting;
}

/** What this client last knew of a batch that it does not append to. The batch has changed if the file's size has. */
interface Known {
  path: string;
  size: number;
  batch: Batch;
  /** True if this client made it. */
  isOwn: boolean;
}

/** Bytes of texts that may stay in memory. */
const maxInMemory = 8 * 1_048_576;
/** Time untouched after which a folder of another machine or container counts as abandoned. */
const abandonedMs = 5 * 60_000;
/** Files that are read without a pause. */
const filesAtOnce = 16;
const suffix = '.batch';
/** Flags that open a file for appending, without creating it. */
const appending = constants.O_RDWR | constants.O_APPEND;

const nameOf = (key: string): string => encodeURIComponent(key) + suffix;

/**
 * Batches as files (sdks/contract/store.md), in a folder of this client next to those of others. A batch of another
 * client is found wherever it lies; the folder only says who sends it.
 */
export class DirectoryQueue implements QueueStore {
  private readonly folder: string;
  private readonly open = new Map<string, { file: OpenFile; appended: Appended }>();
  /** Files of the batches that this client has sealed and not removed yet. */
  private readonly sealed = new Map<string, Appended>();
  private readonly known = new Map<string, Known>();
  /** Bytes of the batches that this client made and has not sent. */
  private ownBytes = 0;
  private readonly syncing: Syncing;

  constructor(private readonly parts: DirectoryParts) {
    this.folder = join(parts.root, parts.owner);
    this.syncing = new Syncing(parts.disk, parts.clock, this.folder);
  }

  get hasTexts(): boolean {
    return this.ownBytes > maxInMemory;
  }

  append(batch: Batch, index: number, text: string): boolean | number {
    if (index > 0) {
      this.syncing.appended();
      return this.open.get(batch.key)?.file.append(index, text) ?? false;
    }
    const file = this.create(batch, text);
    if (!file) return false;
    this.open.set(batch.key, { file, appended: this.syncing.created(file.fd) });
    return true;
  }

  async list(): Promise<Batch[]> {
    mkdirSync(this.folder, { recursive: true });
    const now = new Date(this.parts.clock.now());
    // Shows clients on other machines that this one is alive.
    utimesSync(this.folder, now, now);
    this.adoptFolders();
    const names = readdirSync(this.folder).filter((name) => name.endsWith(suffix));
    for (const [at, name] of names.entries()) {
      this.learnFile(name);
      // Other work of the process goes on while a long list is read.
      if (at % filesAtOnce === filesAtOnce - 1) await setImmediate();
    }
    const here = new Set(readdirSync(this.folder));
    for (const [key, { path }] of this.known) if (!here.has(basename(path))) this.forget(key);
    return [...this.known.values()].map(({ batch }) => ({ ...batch }));
  }

  seal(batch: Batch): number | undefined {
    const open = this.open.get(batch.key);
    if (!open) return this.sealOther(batch.key);
    const { file, appended } = open;
    const count = file.seal();
    this.open.delete(batch.key);
    this.sealed.set(batch.key, appended);
    this.syncing.closed(appended);
    if (count === undefined) return undefined;
    const { path, size } = file;
    this.known.set(batch.key, { path, size, batch: { ...batch, count, sealed: true }, isOwn: true });
    this.ownBytes += batch.bytes;
    return count;
  }

  read(key: string): string[] | undefined {
    return this.with(key, (fd) => [...(this.contentOf(key, fd)?.messages ?? [])]);
  }

  async update(batch: Batch, doubts: number): Promise<number | undefined> {
    const { key } = batch;
    const fd = this.openFile(key);
    if (fd === undefined) return undefined;
    try {
      const sum = this.writeTry(fd, batch, doubts);
      if (sum !== undefined && doubts > 0) await this.syncing.sync(fd);
      return sum;
    } finally {
      closeSync(fd);
    }
  }

  async replace(key: string, parts: readonly { batch: Batch; texts: string[] }[]): Promise<boolean> {
    const fd = this.openFile(key);
    if (fd === undefined) return false;
    try {
      const at = parts[0]?.texts.length ?? 0;
      const before = this.contentOf(key, fd);
      if (!before || before.doubts > 0 || before.dividedAt !== null) return false;
      append(this.parts.disk, fd, fstatSync(fd).size, frameOf('D', JSON.stringify({ at })), 'D');
      // Another client may have begun a try before the division.
      if (this.contentOf(key, fd)?.dividedAt !== at) return false;
      await this.syncing.sync(fd);
      this.writeHalves(key, parts);
      return true;
    } finally {
      closeSync(fd);
    }
  }

  remove(batch: Batch): void {
    const { key, count } = batch;
    const later = this.with(key, (fd) => {
      if (this.known.get(key)?.size === fstatSync(fd).size) return [];
      const content = this.contentOf(key, fd);
      return content ? [...content.messages, ...content.later].slice(count) : [];
    });
    // Another process may have appended after the batch was sealed: those messages are not sent yet.
    if (later?.length) {
      const moved = derivedKey(key, count);
      this.keep({ ...newBatch({ ...batch, key: moved }), count: later.length }, later, false);
    }
    this.delete(key);
  }

  clear(): void {
    for (const { appended } of this.open.values()) this.syncing.closed(appended, true);
    this.open.clear();
    this.sealed.clear();
    this.known.clear();
    this.ownBytes = 0;
    rmSync(this.parts.root, { recursive: true, force: true });
  }

  /** Leaves the folder to any other client. */
  async close(): Promise<void> {
    await this.syncing.end();
    this.open.clear();
    try {
      rmdirSync(this.folder);
    } catch {
      if (existsSync(this.folder)) renameSync(this.folder, join(this.parts.root, leftOwner()));
    }
  }

  private create(batch: Batch, text: string, isAgain = false): OpenFile | undefined {
    try {
      return OpenFile.create(join(this.folder, nameOf(batch.key)), batch, text, this.parts.disk);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'EEXIST') return undefined;
      if (code !== 'ENOENT' || isAgain) throw error;
      mkdirSync(this.folder, { recursive: true });
      return this.create(batch, text, true);
    }
  }

  /** Seals the batch of another client, which may have sealed it already. */
  private sealOther(key: string): number | undefined {
    return this.with(key, (fd) => {
      const content = this.contentOf(key, fd);
      if (!content || content.isSealed) return content?.messages.length;
      const seal = frameOf('S', JSON.stringify({ count: content.messages.length }));
      append(this.parts.disk, fd, fstatSync(fd).size, seal, 'S');
      return this.contentOf(key, fd)?.messages.length;
    });
  }

  /** Records a try. Returns the sum of doubts; undefined if the batch is gone or divided. */
  private writeTry(fd: number, batch: Batch, doubts: number): number | undefined {
    const { key, tries, tooLarge, firstTry, lastTry, nextTry } = batch;
    let known = this.known.get(key);
    const { size } = fstatSync(fd);
    if (known?.size !== size) {
      if (!this.contentOf(key, fd)) return undefined;
      known = this.known.get(key);
    }
    if (!known) return undefined;
    const sum = known.batch.doubts + doubts;
    const times = { tries, doubts: sum, tooLarge, firstTry, lastTry, nextTry };
    // Clients that record tries at the same time do not see each other's sum, so the difference counts.
    const bytes = frameOf('T', JSON.stringify({ ...times, add: doubts }));
    append(this.parts.disk, fd, size, bytes, 'T');
    const after = fstatSync(fd);
    if (after.nlink === 0) return undefined;
    if (after.size === size + bytes.length) {
      known.size = after.size;
      Object.assign(known.batch, times);
      return sum;
    }
    const content = this.contentOf(key, fd);
    return content?.dividedAt === null ? content.doubts : undefined;
  }

  private writeHalves(key: string, parts: readonly { batch: Batch; texts: readonly string[] }[]): void {
    for (const { batch, texts } of parts) this.keep(batch, texts, true);
    this.delete(key);
  }

  /** Writes a batch as a whole file, unless it exists. */
  private keep(batch: Batch, texts: readonly string[], isSealed: boolean): void {
    if (this.find(batch.key) !== undefined) return;
    const path = join(this.folder, nameOf(batch.key));
    const size = writeWhole(path, batch, { messages: texts, isSealed }, this.parts.disk);
    if (isSealed) this.known.set(batch.key, { path, size, batch: { ...batch }, isOwn: false });
  }

  /** Takes the batches of clients that have ended. Only one of several clients gets a batch. */
  private adoptFolders(): void {
    const { root, owner, clock, lifeOf } = this.parts;
    for (const other of readdirSync(root)) {
      if (other === owner) continue;
      const folder = join(root, other);
      try {
        const life = lifeOf(other);
        const quietMs = clock.now() - statSync(folder).mtimeMs;
        if (life === 'alive' || (life === 'unknown' && quietMs < abandonedMs)) continue;
        for (const name of readdirSync(folder)) this.adopt(join(folder, name), join(this.folder, name));
        rmdirSync(folder);
      } catch {
        // Another client was faster, or a batch of the same name is here: the second waits until the first is sent.
      }
    }
  }

  private adopt(from: string, to: string): void {
    if (!from.endsWith(suffix)) unlinkSync(from);
    else if (!existsSync(to)) renameSync(from, to);
  }

  private learnFile(name: string): void {
    const path = join(this.folder, name);
    const key = decodeURIComponent(name.slice(0, -suffix.length));
    if (this.open.has(key) || this.known.get(key)?.path === path) return;
    const content = readable(path, this.parts.reporting);
    if (content) this.learn(path, content);
  }

  /** Learns a batch of a file. Completes its division if that was interrupted. */
  private learn(path: string, content: FiledBatch): void {
    const batch = batchOf(content);
    const { key } = batch;
    const at = content.dividedAt;
    this.known.set(key, { path, size: content.end, batch, isOwn: false });
    if (at === null) return;
    const parts = [content.messages.slice(0, at), content.messages.slice(at)].map((texts, half) => ({
      batch: sealedBatch({ ...batch, key: derivedKey(key, half * at) }, texts),
      texts,
    }));
    this.writeHalves(key, parts);
  }

  /** Reads a file, and updates what is known of its batch. */
  private contentOf(key: string, fd: number): FiledBatch | undefined {
    const content = contentOf(fd);
    if (content.is !== 'batch') return undefined;
    const known = this.known.get(key);
    if (known) Object.assign(known, { size: content.end, batch: batchOf(content) });
    else this.known.set(key, { path: this.find(key) ?? '', size: content.end, batch: batchOf(content), isOwn: false });
    return content;
  }

  private forget(key: string): void {
    const known = this.known.get(key);
    if (known?.isOwn) this.ownBytes -= known.batch.bytes;
    this.known.delete(key);
  }

  private delete(key: string): void {
    const path = this.find(key);
    const appended = this.sealed.get(key) ?? this.open.get(key)?.appended;
    if (appended) this.syncing.closed(appended, true);
    this.sealed.delete(key);
    this.open.delete(key);
    this.forget(key);
    if (path !== undefined) rmSync(path, { force: true });
  }

  private with<T>(key: string, work: (fd: number) => T): T | undefined {
    const fd = this.openFile(key);
    if (fd === undefined) return undefined;
    try {
      return work(fd);
    } finally {
      closeSync(fd);
    }
  }

  private openFile(key: string): number | undefined {
    for (const path of [this.known.get(key)?.path, this.find(key)]) {
      if (!path) continue;
      try {
        return openSync(path, appending);
      } catch (error) {
        // A file that cannot be read is not gone.
        if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      }
    }
    return undefined;
  }

  /** The file of a batch, in whatever folder it lies. */
  private find(key: string): string | undefined {
    const known = this.known.get(key);
    if (known && existsSync(known.path)) return known.path;
    const { root, owner } = this.parts;
    const folders = [owner, ...(existsSync(root) ? readdirSync(root) : [])];
    const path = folders.map((folder) => join(root, folder, nameOf(key))).find((one) => existsSync(one));
    if (known && path !== undefined) known.path = path;
    return path;
  }
}

/** The batch of a file's content. */
export function batchOf({ header, messages, isSealed, tries, doubts }: FiledBatch): Batch {
  const origin = header as unknown as Batch;
  return { ...sealedBatch(origin, messages), ...tries, doubts, sealed: isSealed };
}
