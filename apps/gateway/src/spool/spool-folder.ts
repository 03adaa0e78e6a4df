import { existsSync, readdirSync, rmSync, statfsSync } from 'node:fs';
import { basename, join } from 'node:path';
import { Ballast } from './ballast.js';
import { isFull } from './disk-error.js';
import { type Holder } from './holder.js';
import { MessageQueue } from './message-queue.js';
import { makePrivate } from './private-folder.js';
import { type BatchLimits, type QueueDamage } from './queue-batch.js';
import { LockedError } from './queue-lock.js';
import { RefusedFile } from './refused-file.js';
import { steadyNow } from './steady-clock.js';
import { type SpooledBatch, type MessageToSpool, type QueuePlace, type SpooledMessage } from './spooled-message.js';

export interface SpoolFolderOptions {
  /** Folder of the queues of all processes of this gateway. */
  readonly folder: string;
  readonly refusedFolder: string;
  /** Name of this process in its queues and refused files; must never be used again. */
  readonly newName: string;
  /** Upper bound of the queue of one process. */
  readonly maxBytes: number;
}

/** Waiting messages of this process on the disk, and refused or damaged messages of all processes. */
export interface SpoolState {
  readonly rows: number;
  readonly bytes: number;
  /** Bytes that this process may add: what its limit leaves, or what is free on the disk if that is less. */
  readonly roomBytes: number;
  readonly oldestAt: number | undefined;
  readonly refused: number;
  readonly damaged: number;
  /** Queues that cannot be opened although no live process holds them, each with the reason. */
  readonly unopened: readonly string[];
  /** Damage found since the process began; `last` names the queue, the place and the number of messages. */
  readonly damageFound: { readonly damages: number; readonly last: string };
}

const suffix = '.spool';
/** Suffix of an empty queue that was renamed, but not yet removed when its process died. */
const goneSuffix = '.spool.gone';
const maxAttempts = 10;

/**
 * The spool of this process: its own queue and those that dead processes left, which are emptied first. Methods block,
 * so they must run in a thread of their own.
 */
export class SpoolFolder {
  private own: MessageQueue | undefined;
  private adopted: MessageQueue[] = [];
  private made = 0;
  /** Place up to which damage has been copied to the refused folder, by path of the queue. */
  private readonly buried = new Map<string, number>();
  private readonly unopened = new Map<string, string>();
  private measured: Pick<SpoolState, 'bytes' | 'roomBytes' | 'oldestAt'>;
  /** Changes of holdings since they were last taken. */
  private changes = new Map<Holder, number>();
  private damageFound = { damages: 0, last: '' };
  private readonly refusedFile: RefusedFile;
  private readonly ballast: Ballast;

  constructor(private readonly options: SpoolFolderOptions) {
    this.refusedFile = new RefusedFile(options.refusedFolder, options.newName);
    this.ballast = new Ballast(options.folder);
    this.measured = { bytes: 0, roomBytes: options.maxBytes, oldestAt: undefined };
  }

  /** Never throws: values that a failing disk does not give keep their last state. */
  get state(): SpoolState {
    const { files, unopened } = this;
    const { refused, damaged } = this.refusedFile.counted;
    try {
      const oldest = files.flatMap((file) => file.oldestAt ?? []);
      this.measured = {
        bytes: files.reduce((sum, { usedBytes }) => sum + usedBytes, 0),
        roomBytes: this.roomBytes(),
        oldestAt: oldest.length > 0 ? Math.min(...oldest) : undefined,
      };
    } catch {
      // The next take or append reports the failure.
    }
    const rows = files.reduce((sum, file) => sum + file.rows, 0);
    return {
      rows,
      ...this.measured,
      refused,
      damaged: damaged + unopened.size,
      unopened: [...unopened.values()],
      damageFound: this.damageFound,
    };
  }

  /** All messages are on the disk when this returns; none is when it throws. */
  append(messages: readonly MessageToSpool[]): void {
    const queue = this.openOwn();
    this.ballast.restore(queue.path);
    queue.append(messages, steadyNow());
  }

  /**
   * Returns the next messages; the same again until they are delivered.
   * @param delivered place up to which messages are in Kafka or in the refused file and can be forgotten. Idempotent.
   */
  take(delivered: QueuePlace | undefined, limits: BatchLimits): SpooledBatch {
    let forget = delivered;
    for (;;) {
      const namedQueue = this.files.find(({ path }) => path === forget?.path);
      const file = namedQueue ?? this.files.find(({ rows }) => rows > 0);
      if (!file) return { messages: [], place: undefined };
      const forgetThrough = (namedQueue && forget?.lastSeq) ?? 0;
      const { messages, damages, lastSeq } = this.withRoom(() => file.take(forgetThrough, limits));
      // Damage must be kept before its batch can be forgotten.
      this.buryDamage(file, damages);
      const place = { path: file.path, lastSeq };
      if (messages.length > 0) return { messages, place };
      forget = damages.length > 0 ? place : undefined;
      if (!forget) this.dropEmpty();
    }
  }

  /** Keeps messages that no retry can bring into Kafka; the next `take` forgets them with their batch. */
  refuse(messages: readonly SpooledMessage[], error: string): void {
    this.withRoom(() => this.refusedFile.append(messages, error));
  }

  /**
   * Adopts queues of dead processes, removes their unfinished files, and probes the disk, so that a failing disk is
   * known before it is needed. With `mustHaveRoom`, a full queue is an error, too.
   * @throws when the disk takes no messages.
   */
  look(mustHaveRoom: boolean): void {
    this.refusedFile.look();
    const queue = this.openOwn();
    for (const path of this.paths()) {
      if (this.files.some((file) => file.path === path)) continue;
      const file = this.tryOpen(path);
      if (file) this.adopted.push(file);
    }
    this.dropEmpty();
    for (const leftover of this.named(goneSuffix)) rmSync(leftover, { recursive: true, force: true });
    this.ballast.restore(queue.path);
    if (mustHaveRoom) queue.assertRoom();
    queue.probe();
  }

  /** Counts the bytes of holders in one segment of an earlier process. Returns false when no segment is left. */
  countHeld(): boolean {
    return this.files.some((file) => file.countHeld());
  }

  /** Changes of the bytes of holders since the last call. */
  takeChanges(): [Holder, number][] {
    const { changes } = this;
    this.changes = new Map();
    return [...changes].filter(([, bytes]) => bytes !== 0);
  }

  close(): void {
    for (const file of this.files) file.close();
    this.adopted = [];
    this.own = undefined;
  }

  private get files(): MessageQueue[] {
    return this.own ? [...this.adopted, this.own] : this.adopted;
  }

  private readonly onHeld = (holder: Holder, bytes: number): void => {
    this.changes.set(holder, (this.changes.get(holder) ?? 0) + bytes);
  };

  private roomBytes(): number {
    const { maxBytes, folder } = this.options;
    const { bavail, bsize } = statfsSync(folder);
    return Math.max(0, Math.min(maxBytes - (this.own?.usedBytes ?? 0), bavail * bsize));
  }

  /** Releases the ballast if `work` lacks room, then tries it again: even delivering messages needs some room. */
  private withRoom<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      if (!isFull(error)) throw error;
      this.ballast.release();
      return work();
    }
  }

  /** Keeps each damage once, however often its batch is taken. */
  private buryDamage({ path }: MessageQueue, damages: readonly QueueDamage[]): void {
    for (const damage of damages.filter(({ last }) => last > (this.buried.get(path) ?? 0))) {
      const { first, last } = damage;
      this.withRoom(() => this.refusedFile.keepDamage(path, damage));
      this.buried.set(path, last);
      this.damageFound = {
        damages: this.damageFound.damages + 1,
        last: `${last - first + 1} messages from place ${first} of ${basename(path)}`,
      };
    }
  }

  private dropEmpty(): void {
    for (const file of this.adopted.filter(({ rows }) => rows === 0)) {
      this.adopted = this.adopted.filter((adoptedQueue) => adoptedQueue !== file);
      file.close();
    }
  }

  /** Opens this process' own queue when it is needed; continues the queue of a dead process if there is one. */
  private openOwn(): MessageQueue {
    if (this.own) return this.own;
    makePrivate(this.options.folder);
    for (const path of this.paths()) {
      if (this.files.some((file) => file.path === path)) continue;
      const orphan = this.tryOpen(path);
      if (orphan) return (this.own = orphan);
    }
    return (this.own = this.makeOwn());
  }

  /** Creates a queue. If a process that starts at the same time locks or removes it first, tries the next name. */
  private makeOwn(): MessageQueue {
    const { folder, newName, maxBytes } = this.options;
    for (;;) {
      this.made += 1;
      const path = join(folder, `${newName}${this.made > 1 ? `_${this.made}` : ''}${suffix}`);
      try {
        return MessageQueue.make(path, maxBytes, this.onHeld);
      } catch (error) {
        const isTakenOver = error instanceof LockedError || !existsSync(path);
        if (!isTakenOver || this.made % maxAttempts === 0) throw error;
      }
    }
  }

  /** Returns undefined when the queue belongs to a live process, no longer exists, or cannot be opened now. */
  private tryOpen(path: string): MessageQueue | undefined {
    try {
      const queue = MessageQueue.open(path, this.options.maxBytes, this.onHeld);
      this.unopened.delete(path);
      return queue;
    } catch (error) {
      // A bad queue must not prevent the use of the others.
      if (!(error instanceof LockedError) && existsSync(path))
        this.unopened.set(path, `${basename(path)}: ${String(error)}`);
      return undefined;
    }
  }

  private paths(): string[] {
    return this.named(suffix).sort();
  }

  private named(ending: string): string[] {
    const { folder } = this.options;
    return readdirSync(folder)
      .filter((name) => name.endsWith(ending))
      .map((name) => join(folder, name));
  }
}
