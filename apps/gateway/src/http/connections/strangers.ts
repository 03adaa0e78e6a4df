import { type Socket } from 'node:net';

const recordKey = Symbol('record');
type Connection = Socket & { [recordKey]?: ConnectionRecord };

/** Time after which the use of a known connection is noted again. */
const noteEveryMs = 1_000;
/** Connections beyond the limit that may ask for the health of the gateway, and nothing else. */
const healthPlaces = 16;

/** The group of a connection that was closed to make room; `newcomer` when no other could be closed. */
export type Closed = 'stranger' | 'known' | 'newcomer';

interface ConnectionRecord {
  readonly socket: Connection;
  /** Whether the connection has no work that closing it would interrupt. */
  readonly canCloseNow: () => boolean;
  readonly owner: Strangers;
  /** The source whose key the connection has shown; undefined for a stranger. */
  source: string | undefined;
  usedAt: number;
  /** Whether the connection is beyond the limit, and may only ask for the health. */
  isExtra: boolean;
}

/** Marks a connection whose request was admitted with a valid key: strangers are closed before it. */
export function markKnown(socket: Connection, source: string): void {
  const record = socket[recordKey];
  record?.owner.noteUse(record, source);
}

/** Whether the connection may send this request. One beyond the limit is closed unless it asks for the health. */
export function maySend(socket: Connection, isHealthCheck: boolean): boolean {
  const record = socket[recordKey];
  if (!record?.isExtra || isHealthCheck) return true;
  record.owner.closeNewcomer(record);
  return false;
}

/**
 * Decides which connection is closed when there are too many: the oldest idle one without a valid key; if there is
 * none, the longest idle one of the source with the most. When a source has more than a quarter of all connections, its
 * longest unused ones count as strangers.
 */
export class Strangers {
  /** Connections without a valid key, oldest first. */
  private readonly strangers = new Set<ConnectionRecord>();
  /** Connections of each source, the longest unused first. */
  private readonly known = new Map<string, Set<ConnectionRecord>>();
  /** Connections beyond the limit, oldest first. */
  private readonly extra = new Set<ConnectionRecord>();
  private readonly maxPerSource: number;
  private count = 0;

  constructor(
    private readonly maxConnections: number,
    private readonly onClosed: (which: Closed) => void = () => undefined,
  ) {
    this.maxPerSource = Math.max(1, Math.floor(maxConnections / 4));
  }

  add(socket: Connection, canCloseNow: () => boolean): void {
    const record: ConnectionRecord = { socket, canCloseNow, owner: this, source: undefined, usedAt: 0, isExtra: false };
    socket[recordKey] = record;
    socket.once('close', () => this.remove(record));
    if (this.count < this.maxConnections || this.closeIdle()) {
      this.count += 1;
      this.strangers.add(record);
    } else this.addExtra(record);
  }

  /** Notes that a request with a valid key was admitted on a connection. */
  noteUse(record: ConnectionRecord, source: string): void {
    const now = performance.now();
    if (record.isExtra || record.socket.destroyed || (record.source === source && now - record.usedAt < noteEveryMs))
      return;
    this.forget(record);
    record.source = source;
    record.usedAt = now;
    const group = this.known.get(source) ?? new Set();
    this.known.set(source, group);
    group.add(record);
    if (group.size > this.maxPerSource) this.demote(group);
  }

  /** Makes the longest unused connection of a source a stranger again. */
  private demote(group: Set<ConnectionRecord>): void {
    const [staleRecord] = group;
    if (staleRecord === undefined) return;
    group.delete(staleRecord);
    staleRecord.source = undefined;
    this.strangers.add(staleRecord);
  }

  private remove(record: ConnectionRecord): void {
    if (record.isExtra) this.extra.delete(record);
    else if (this.forget(record)) this.count -= 1;
  }

  private forget(record: ConnectionRecord): boolean {
    if (record.source === undefined) return this.strangers.delete(record);
    const group = this.known.get(record.source);
    const wasThere = group?.delete(record) ?? false;
    if (group?.size === 0) this.known.delete(record.source);
    return wasThere;
  }

  /** Closes a connection beyond the limit. */
  closeNewcomer(record: ConnectionRecord): void {
    this.extra.delete(record);
    record.socket.destroy();
    this.onClosed('newcomer');
  }

  private closeIdle(): boolean {
    if (this.closeFirstIdle(this.strangers, 'stranger')) return true;
    let largest = new Set<ConnectionRecord>();
    for (const group of this.known.values()) if (group.size > largest.size) largest = group;
    if (this.closeFirstIdle(largest, 'known')) return true;
    return [...this.known.values()].some((group) => this.closeFirstIdle(group, 'known'));
  }

  private closeFirstIdle(among: Set<ConnectionRecord>, which: Closed): boolean {
    for (const record of among) {
      if (!record.canCloseNow()) continue;
      this.remove(record);
      record.socket.destroy();
      this.onClosed(which);
      return true;
    }
    return false;
  }

  private addExtra(record: ConnectionRecord): void {
    record.isExtra = true;
    const [oldest] = this.extra;
    if (oldest && this.extra.size >= healthPlaces) this.closeNewcomer(oldest);
    this.extra.add(record);
  }
}
