import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Ballast } from './ballast.js';
import { RefusedFile } from './refused-file.js';
import { type BatchLimits, SpoolFile, type Taken } from './spool-file.js';
import { type MessageToSpool, type SpooledMessage } from './spooled-message.js';
import { isCorrupt, isFull, isLocked } from './sqlite-error.js';

export interface SpoolFolderOptions {
  /** Where the files of all processes of this gateway are. */
  readonly folder: string;
  readonly refusedFolder: string;
  /** Name of a file that this process makes; unique for ever. */
  readonly newName: string;
  /** Of the file of one process. */
  readonly maxBytes: number;
}

/** What waits on the disk for this process, and what this and others had to give up and nobody has taken away. */
export interface SpoolState {
  readonly rows: number;
  readonly bytes: number;
  readonly oldestAt: number | undefined;
  readonly refused: number;
  readonly damaged: number;
}

const suffix = '.spool.db';

/**
 * The spool of this process: its own file, and those that dead processes left. They are one queue: what was left comes
 * first. Blocks while it works: it belongs into a thread.
 */
export class SpoolFolder {
  private own: SpoolFile | undefined;
  private adopted: SpoolFile[] = [];
  private taken: { file: SpoolFile; through: number } | undefined;
  private readonly refusedFile: RefusedFile;
  private readonly ballast: Ballast;

  constructor(private readonly options: SpoolFolderOptions) {
    this.refusedFile = new RefusedFile(options.refusedFolder);
    this.ballast = new Ballast(options.folder, options.newName);
  }

  get state(): SpoolState {
    const files = this.files;
    const oldest = files.flatMap((file) => file.oldestAt ?? []);
    return {
      rows: files.reduce((sum, { rows }) => sum + rows, 0),
      bytes: files.reduce((sum, { usedBytes }) => sum + usedBytes, 0),
      oldestAt: oldest.length > 0 ? Math.min(...oldest) : undefined,
      ...this.refusedFile.counted,
    };
  }

  /** The messages are on the disk when this returns, all of them or, when it throws, none. */
  append(messages: readonly MessageToSpool[]): void {
    this.onOwn((file) => {
      this.ballast.restore();
      file.append(messages, Date.now());
    });
  }

  /**
   * What is next in the queue; the same again until it is delivered.
   * @param isDelivered what was taken last is in Kafka, or in the refused file, and can be forgotten.
   */
  take(isDelivered: boolean, limits: BatchLimits): readonly SpooledMessage[] {
    let forget = isDelivered ? this.taken : undefined;
    for (;;) {
      const file = forget?.file ?? this.files.find(({ rows }) => rows > 0);
      if (!file) return [];
      const { messages, damaged } = this.takeFrom(file, forget?.through ?? 0, limits);
      forget = undefined;
      this.taken = { file, through: messages.at(-1)?.seq ?? 0 };
      if (damaged.length > 0) this.refusedFile.append(damaged, 'damaged on disk');
      if (messages.length > 0) return messages;
      if (damaged.length > 0) forget = { file, through: damaged.at(-1)?.seq ?? 0 };
      else this.dropEmpty();
    }
  }

  /** Keeps messages that no retry can bring into Kafka; the next `take` forgets them with their batch. */
  refuse(messages: readonly SpooledMessage[], error: string): void {
    this.refusedFile.append(messages, 'refused by Kafka', error);
  }

  /** Adopts what dead processes left, and with `isProbing` writes a little. @throws when the disk takes nothing. */
  look(isProbing: boolean): void {
    this.refusedFile.look();
    this.own ??= this.openOwn();
    for (const path of this.paths()) {
      if (this.files.some((file) => file.path === path)) continue;
      const file = this.tryOpen(path);
      if (file) this.adopted.push(file);
    }
    this.dropEmpty();
    this.onOwn((file) => {
      this.ballast.restore();
      if (isProbing) file.probe();
    });
  }

  close(): void {
    for (const file of this.files) file.close();
    this.adopted = [];
    this.own = undefined;
  }

  private get files(): SpoolFile[] {
    return this.own ? [...this.adopted, this.own] : this.adopted;
  }

  private takeFrom(file: SpoolFile, forgetThrough: number, limits: BatchLimits): Taken {
    try {
      return file.take(forgetThrough, limits);
    } catch (error) {
      if (isCorrupt(error)) this.setAside(file);
      if (!isFull(error) || !this.ballast.isThere) throw error;
      this.ballast.giveAway();
      return file.take(forgetThrough, limits);
    }
  }

  private dropEmpty(): void {
    for (const file of this.adopted.filter(({ rows }) => rows === 0)) {
      this.adopted = this.adopted.filter((one) => one !== file);
      file.close();
    }
  }

  /** Works on the own file, which is opened when it is needed: one that a dead process left is continued. */
  private onOwn(work: (file: SpoolFile) => void): void {
    this.own ??= this.openOwn();
    try {
      work(this.own);
    } catch (error) {
      if (isCorrupt(error)) this.setAside(this.own);
      throw error;
    }
  }

  private openOwn(): SpoolFile {
    const { folder, newName, maxBytes } = this.options;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    for (const path of this.paths()) {
      const left = this.tryOpen(path);
      if (left) return left;
    }
    return SpoolFile.open(join(folder, `${newName}${suffix}`), maxBytes);
  }

  /** Undefined when the file belongs to a process that lives, or is none. */
  private tryOpen(path: string): SpoolFile | undefined {
    try {
      return SpoolFile.open(path, this.options.maxBytes);
    } catch (error) {
      if (isCorrupt(error)) {
        this.refusedFile.setAside(path);
      } else if (!isLocked(error) && existsSync(path)) throw error;
      return undefined;
    }
  }

  private setAside(file: SpoolFile): void {
    this.refusedFile.setAside(file.path);
    this.adopted = this.adopted.filter((one) => one !== file);
    if (this.own === file) this.own = undefined;
    this.taken = undefined;
    try {
      file.close();
    } catch {
      // It is no use any more.
    }
  }

  private paths(): string[] {
    const { folder } = this.options;
    return readdirSync(folder)
      .filter((name) => name.endsWith(suffix))
      .sort()
      .map((name) => join(folder, name));
  }
}
