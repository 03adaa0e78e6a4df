import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  unlinkSync,
  utimesSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { type Batch, type Clock, deriveKey, newBatch, type QueueStore, sealedBatch } from '@sluice/sdk-core';
import { append, readContent, OpenFile } from './appending.js';
import { type FiledBatch, sourceIn } from './batch-file.js';
import { type Disk } from './disk.js';
import { encodeFrame } from './frames.js';
import { newAbandonedOwner, type OwnerState, type Owner } from './owner.js';
import { readSound, type Reporting } from './set-aside.js';
import { type Appended, Syncing } from './syncing.js';
import { writeWhole } from './whole-file.js';

export interface DirectoryParts {
  /** Contains a folder for each client, named after its owner. */
  readonly root: string;
  readonly owner: Owner;
  /** Source whose batches this client takes over from clients that have ended. */
  readonly source: string;
  readonly disk: Disk;
  readonly clock: Clock;
  readonly checkOwner: (owner: Owner) => OwnerState;
  readonly reporting: Reporting;
}

/** A batch that this client does not append to, as it last knew it. The batch has changed if the file's size has. */
interface KnownBatch {
  path: string;
  size: number;
  batch: Batch;
  /** True if this client made it. */
  isOwn: boolean;
  /** True if another client has divided it, and has not removed its file yet: nobody may try it any more. */
  isDivided?: boolean;
}

/** Bytes of texts that may stay in memory. */
const maxInMemory = 8 * 1_048_576;
/** Time untouched after which a folder of another machine or container counts as abandoned. */
const abandonedMs = 5 * 60_000;
/** Files that are read without a pause. */
const filesAtOnce = 16;
const suffix = '.batch';
/** The header of a batch is shorter: it has its key, host and source. */
const maxHeaderBytes = 16_384;
/** Flags that open a file for appending, without creating it. */
const appending = constants.O_RDWR | constants.O_APPEND;

const fileName = (key: string): string => encodeURIComponent(key) + suffix;

/**
 * Batches as files (sdks/contract/store.md), in a folder of this client next to those of others. A batch of another
 * client is found wherever it lies; the folder only says who sends it.
 */
export class DirectoryQueue implements QueueStore {
  private readonly folder: string;
  private readonly open = new Map<string, { file: OpenFile; appended: Appended }>();
  /** Files of the batches that this client has sealed and not removed yet. */
  private readonly sealed = new Map<string, Appended>();
  private readonly knownBatches = new Map<string, KnownBatch>();
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
    for (const [index, name] of names.entries()) {
      this.learnFile(name);
      // Other work of the process goes on while a long list is read.
      if (index % filesAtOnce === filesAtOnce - 1) await setImmediate();
    }
    const namesHere = new Set(readdirSync(this.folder));
    for (const [key, { path }] of this.knownBatches) if (!namesHere.has(basename(path))) this.forget(key);
    return [...this.knownBatches.values()].map(({ batch }) => ({ ...batch }));
  }

  seal(batch: Batch): number | undefined {
    const openBatch = this.open.get(batch.key);
    if (!openBatch) return this.sealForeign(batch.key);
    const { file, appended } = openBatch;
    const count = file.seal();
    this.open.delete(batch.key);
    this.sealed.set(batch.key, appended);
    this.syncing.closed(appended);
    if (count === undefined) return undefined;
    const { path, size } = file;
    this.knownBatches.set(batch.key, { path, size, batch: { ...batch, count, sealed: true }, isOwn: true });
    this.ownBytes += batch.bytes;
    return count;
  }

  read(key: string): string[] | undefined {
    return this.with(key, (fd) => [...(this.learnContent(key, fd)?.messages ?? [])]);
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
      const middle = parts[0]?.texts.length ?? 0;
      const content = this.learnContent(key, fd);
      if (!content || content.doubts > 0 || content.dividedAt !== null) return false;
      append(this.parts.disk, fd, fstatSync(fd).size, encodeFrame('D', JSON.stringify({ at: middle })), 'D');
      // Another client may have begun a try before the division.
      if (this.learnContent(key, fd)?.dividedAt !== middle) return false;
      await this.syncing.sync(fd);
      // The file may have been deleted in the meantime because consent was denied.
      if (fstatSync(fd).nlink === 0) return false;
      this.writeHalves(key, parts);
      return true;
    } finally {
      closeSync(fd);
    }
  }

  remove(batch: Batch): void {
    const { key, count } = batch;
    const later = this.with(key, (fd) => {
      if (this.knownBatches.get(key)?.size === fstatSync(fd).size) return [];
      const content = this.learnContent(key, fd);
      return content ? [...content.messages, ...content.later].slice(count) : [];
    });
    // Another process may have appended after the batch was sealed: those messages are not sent yet.
    if (later?.length) {
      const laterKey = deriveKey(key, count);
      this.keep({ ...newBatch({ ...batch, key: laterKey }), count: later.length }, later, false);
    }
    this.delete(key);
  }

  async clear(sourceIdentifier: string): Promise<number> {
    let messages = 0;
    for (const { key, sourceIdentifier: source } of await this.list()) {
      if (source !== sourceIdentifier) continue;
      messages += this.read(key)?.length ?? 0;
      this.delete(key);
    }
    // Open files are this client's, and not in the list.
    for (const key of [...this.open.keys()]) {
      messages += this.with(key, (fd) => this.learnContent(key, fd)?.messages.length) ?? 0;
      this.delete(key);
    }
    return messages;
  }

  /** Leaves the folder to any other client. */
  async close(): Promise<void> {
    await this.syncing.end();
    this.open.clear();
    try {
      rmdirSync(this.folder);
    } catch {
      if (existsSync(this.folder)) renameSync(this.folder, join(this.parts.root, newAbandonedOwner()));
    }
  }

  private create(batch: Batch, text: string, isAgain = false): OpenFile | undefined {
    try {
      return OpenFile.create(join(this.folder, fileName(batch.key)), batch, text, this.parts.disk);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'EEXIST') return undefined;
      if (code !== 'ENOENT' || isAgain) throw error;
      mkdirSync(this.folder, { recursive: true });
      return this.create(batch, text, true);
    }
  }

  /** Seals the batch of another client, which may have sealed it already. */
  private sealForeign(key: string): number | undefined {
    return this.with(key, (fd) => {
      const content = this.learnContent(key, fd);
      if (!content || content.isSealed) return content?.messages.length;
      const seal = encodeFrame('S', JSON.stringify({ count: content.messages.length }));
      append(this.parts.disk, fd, fstatSync(fd).size, seal, 'S');
      return this.learnContent(key, fd)?.messages.length;
    });
  }

  /** Records a try. Returns the sum of doubts; undefined if the batch is gone or divided. */
  private writeTry(fd: number, batch: Batch, doubts: number): number | undefined {
    const { key, tries, tooLarge, firstTry, lastTry, nextTry } = batch;
    let knownBatch = this.knownBatches.get(key);
    const { size } = fstatSync(fd);
    if (knownBatch?.size !== size) {
      if (!this.learnContent(key, fd)) return undefined;
      knownBatch = this.knownBatches.get(key);
    }
    if (!knownBatch || knownBatch.isDivided) return undefined;
    const sum = knownBatch.batch.doubts + doubts;
    const times = { tries, doubts: sum, tooLarge, firstTry, lastTry, nextTry };
    // The frame has the difference, not the sum: clients that record tries at the same time do not see each other's sums.
    const bytes = encodeFrame('T', JSON.stringify({ ...times, add: doubts }));
    append(this.parts.disk, fd, size, bytes, 'T');
    const stats = fstatSync(fd);
    if (stats.nlink === 0) return undefined;
    if (stats.size === size + bytes.length) {
      knownBatch.size = stats.size;
      Object.assign(knownBatch.batch, times);
      return sum;
    }
    const content = this.learnContent(key, fd);
    return content?.dividedAt === null ? content.doubts : undefined;
  }

  private writeHalves(key: string, parts: readonly { batch: Batch; texts: readonly string[] }[]): void {
    for (const { batch, texts } of parts) this.keep(batch, texts, true);
    this.delete(key);
  }

  /** Writes a batch as a whole file, unless it exists. */
  private keep(batch: Batch, texts: readonly string[], isSealed: boolean): void {
    if (this.find(batch.key) !== undefined) return;
    const path = join(this.folder, fileName(batch.key));
    const size = writeWhole(path, batch, { messages: texts, isSealed }, this.parts.disk);
    if (isSealed) this.knownBatches.set(batch.key, { path, size, batch: { ...batch }, isOwn: false });
  }

  /** Takes the batches of clients that have ended. Only one of several clients gets a batch. */
  private adoptFolders(): void {
    const { root, owner, clock, checkOwner } = this.parts;
    for (const folderOwner of readdirSync(root)) {
      if (folderOwner === owner) continue;
      const folder = join(root, folderOwner);
      try {
        const ownerState = checkOwner(folderOwner);
        const quietMs = clock.now() - statSync(folder).mtimeMs;
        if (ownerState === 'alive' || (ownerState === 'unknown' && quietMs < abandonedMs)) continue;
        for (const name of readdirSync(folder)) this.adopt(join(folder, name), join(this.folder, name));
        rmdirSync(folder);
      } catch {
        // Another client was faster, or a batch of the same name is here: the second waits until the first is sent.
      }
    }
  }

  private adopt(from: string, to: string): void {
    if (!from.endsWith(suffix)) unlinkSync(from);
    // In the folder of this client, which lives, no client of its own source would take it.
    else if (!existsSync(to) && !this.isOfOtherSource(from)) renameSync(from, to);
  }

  private isOfOtherSource(path: string): boolean {
    const bytes = Buffer.alloc(maxHeaderBytes);
    const fd = openSync(path, 'r');
    try {
      const source = sourceIn(bytes.subarray(0, readSync(fd, bytes, 0, maxHeaderBytes, 0)));
      return source !== undefined && source !== this.parts.source;
    } finally {
      closeSync(fd);
    }
  }

  private learnFile(name: string): void {
    const path = join(this.folder, name);
    const key = decodeURIComponent(name.slice(0, -suffix.length));
    const knownBatch = this.knownBatches.get(key);
    if (this.open.has(key) || (knownBatch?.path === path && !knownBatch.isDivided)) return;
    const content = readSound(path, this.parts.reporting);
    if (content) this.learn(path, content);
  }

  /** Learns a batch of a file. Completes its division if that was interrupted. */
  private learn(path: string, content: FiledBatch): void {
    const batch = buildBatch(content);
    const { key } = batch;
    const middle = content.dividedAt;
    this.knownBatches.set(key, { path, size: content.end, batch, isOwn: false });
    if (middle === null) return;
    const parts = [content.messages.slice(0, middle), content.messages.slice(middle)].map((texts, half) => ({
      batch: sealedBatch({ ...batch, key: deriveKey(key, half * middle) }, texts),
      texts,
    }));
    // A batch that moved to another host has one part.
    this.writeHalves(
      key,
      parts.filter(({ texts }) => texts.length > 0),
    );
  }

  /** Reads a file, and updates what is known of its batch. */
  private learnContent(key: string, fd: number): FiledBatch | undefined {
    const content = readContent(fd);
    if (content.is !== 'batch') return undefined;
    const fileState = { size: content.end, batch: buildBatch(content), isDivided: content.dividedAt !== null };
    const knownBatch = this.knownBatches.get(key);
    if (knownBatch) Object.assign(knownBatch, fileState);
    else this.knownBatches.set(key, { path: this.find(key) ?? '', ...fileState, isOwn: false });
    return content;
  }

  private forget(key: string): void {
    const knownBatch = this.knownBatches.get(key);
    if (knownBatch?.isOwn) this.ownBytes -= knownBatch.batch.bytes;
    this.knownBatches.delete(key);
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
    for (const path of [this.knownBatches.get(key)?.path, this.find(key)]) {
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
    const knownBatch = this.knownBatches.get(key);
    if (knownBatch && existsSync(knownBatch.path)) return knownBatch.path;
    const { root, owner } = this.parts;
    const folders = [owner, ...(existsSync(root) ? readdirSync(root) : [])];
    const path = folders.map((folder) => join(root, folder, fileName(key))).find((candidate) => existsSync(candidate));
    if (knownBatch && path !== undefined) knownBatch.path = path;
    return path;
  }
}

/** The batch of a file's content. */
export function buildBatch({ header, messages, isSealed, tries, doubts }: FiledBatch): Batch {
  const origin = header as unknown as Batch;
  return { ...sealedBatch(origin, messages), ...tries, doubts, sealed: isSealed };
}
