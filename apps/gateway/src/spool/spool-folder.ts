import { existsSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { Ballast } from './ballast.js';
import { makePrivate } from './private-folder.js';
import { type Reason, RefusedFile } from './refused-file.js';
import { type BatchLimits, SpoolFile, type Taken } from './spool-file.js';
import { type Batch, type MessageToSpool, type Place, type SpooledMessage } from './spooled-message.js';
import { isCorrupt, isLocked, mayLackRoom } from './sqlite-error.js';

export interface SpoolFolderOptions {
  /** Where the files of all processes of this gateway are. */
  readonly folder: string;
  readonly refusedFolder: string;
  /** Of this process, for the files that it makes; unique for ever. */
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
  /** Files that cannot be opened now, though no living process holds them, each with the reason. */
  readonly unopened: readonly string[];
}

const suffix = '.spool.db';
const mostAttempts = 10;

/**
 * The spool of this process: its own file, and those that dead processes left. They are one queue: what was left comes
 * first. Blocks while it works: it belongs into a thread.
 */
export class SpoolFolder {
  private own: SpoolFile | undefined;
  private adopted: SpoolFile[] = [];
  private made = 0;
  /** By path, the place up to which damaged messages are in the refused file. */
  private readonly buried = new Map<string, number>();
  private readonly unopened = new Map<string, string>();
  private measured: Pick<SpoolState, 'bytes' | 'oldestAt'> = { bytes: 0, oldestAt: undefined };
  private readonly refusedFile: RefusedFile;
  private readonly ballast: Ballast;

  constructor(private readonly options: SpoolFolderOptions) {
    this.refusedFile = new RefusedFile(options.refusedFolder, options.newName);
    this.ballast = new Ballast(options.folder, options.newName);
  }

  /** Never throws: what a disk that fails does not tell is as it was. */
  get state(): SpoolState {
    const { files, unopened } = this;
    const { refused, damaged } = this.refusedFile.counted;
    try {
      const oldest = files.flatMap((file) => file.oldestAt ?? []);
      this.measured = {
        bytes: files.reduce((sum, { usedBytes }) => sum + usedBytes, 0),
        oldestAt: oldest.length > 0 ? Math.min(...oldest) : undefined,
      };
    } catch {
      // Whoever takes from this file, or appends to it, hears of it.
    }
    const rows = files.reduce((sum, one) => sum + one.rows, 0);
    return {
      rows,
      ...this.measured,
      refused,
      damaged: damaged + unopened.size,
      unopened: [...unopened.values()],
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
   * @param delivered what is in Kafka, or in the refused file, and can be forgotten; to say it twice does no harm.
   */
  take(delivered: Place | undefined, limits: BatchLimits): Batch {
    let forget = delivered;
    for (;;) {
      const named = this.files.find(({ path }) => path === forget?.path);
      const file = named ?? this.files.find(({ rows }) => rows > 0);
      if (!file) return { messages: [], place: undefined };
      const { messages, damaged } = this.takeFrom(file, (named && forget?.through) ?? 0, limits);
      // Before anybody can say that it may be forgotten.
      this.buryDamaged(file, damaged);
      const through = Math.max(messages.at(-1)?.seq ?? 0, damaged.at(-1)?.seq ?? 0);
      const place = { path: file.path, through };
      if (messages.length > 0) return { messages, place };
      forget = damaged.length > 0 ? place : undefined;
      if (!forget) this.dropEmpty();
    }
  }

  /** Keeps messages that no retry can bring into Kafka; the next `take` forgets them with their batch. */
  refuse(messages: readonly SpooledMessage[], error: string): void {
    this.bury(messages, 'refused by Kafka', error);
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
      return this.withRoom(
        () => file.take(forgetThrough, limits),
        () => {
          file.saveRoom();
        },
      );
    } catch (error) {
      if (isCorrupt(error)) this.setAside(file);
      throw error;
    }
  }

  /** To give messages away takes room, too: the ballast is there for that. */
  private withRoom<T>(work: () => T, saveRoom?: () => void): T {
    try {
      return work();
    } catch (error) {
      if (!mayLackRoom(error)) throw error;
      this.ballast.giveAway();
      saveRoom?.();
      return work();
    }
  }

  private bury(messages: readonly SpooledMessage[], reason: Reason, error?: string): void {
    this.withRoom(() => {
      this.refusedFile.append(messages, reason, error);
    });
  }

  /** Once, however often their batch is taken. */
  private buryDamaged({ path }: SpoolFile, damaged: readonly SpooledMessage[]): void {
    const through = this.buried.get(path) ?? 0;
    const unburied = damaged.filter(({ seq }) => seq > through);
    if (unburied.length === 0) return;
    this.bury(unburied, 'damaged on disk');
    this.buried.set(path, unburied.at(-1)?.seq ?? 0);
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
    makePrivate(this.options.folder);
    for (const path of this.paths()) {
      const left = this.tryOpen(path);
      if (left?.takesMore) return left;
      if (left) this.adopted.push(left);
    }
    return this.openNew();
  }

  /** A process that starts at the same time may lock our new file before we do, and even remove it. */
  private openNew(): SpoolFile {
    const { folder, newName, maxBytes } = this.options;
    for (;;) {
      this.made += 1;
      const path = join(folder, `${newName}${this.made > 1 ? `_${this.made}` : ''}${suffix}`);
      try {
        return SpoolFile.open(path, maxBytes);
      } catch (error) {
        const isTakenAway = isLocked(error) || !existsSync(path);
        if (!isTakenAway || this.made % mostAttempts === 0) throw error;
      }
    }
  }

  /** Undefined when the file belongs to a process that lives, is none, or cannot be opened now. */
  private tryOpen(path: string): SpoolFile | undefined {
    try {
      const file = SpoolFile.open(path, this.options.maxBytes);
      this.unopened.delete(path);
      return file;
    } catch (error) {
      if (isCorrupt(error)) {
        this.refusedFile.setAside(path);
      } else if (!isLocked(error) && existsSync(path)) {
        // One file must not keep the others from being used.
        this.unopened.set(path, `${basename(path)}: ${String(error)}`);
      }
      return undefined;
    }
  }

  private setAside(file: SpoolFile): void {
    this.refusedFile.setAside(file.path);
    this.adopted = this.adopted.filter((one) => one !== file);
    if (this.own === file) this.own = undefined;
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
