import { type Socket } from 'node:net';

const record = Symbol('record');
type Connection = Socket & { [record]?: Known };

/** Time after which the use of a known connection is noted again. */
const noteEveryMs = 1_000;
/** Connections beyond the limit that may ask for the health of the gateway, and nothing else. */
const healthPlaces = 16;

/** The group of a connection that was closed to make room; `newcomer` when no other could be closed. */
export type Closed = 'stranger' | 'known' | 'newcomer';

interface Known {
  readonly socket: Connection;
  /** Whether closing the connection interrupts no work. */
  readonly isIdle: () => boolean;
  readonly all: Strangers;
  /** The source whose key it has shown; undefined for a stranger. */
  source: string | undefined;
  usedAt: number;
  /** Whether it is beyond the limit, and may only ask for the health. */
  isExtra: boolean;
}

/** Marks a connection whose request was admitted with a valid key: strangers are closed before it. */
export function noStranger(socket: Connection, source: string): void {
  const its = socket[record];
  its?.all.know(its, source);
}

/** Whether the connection may send this request. One beyond the limit is closed unless it asks for the health. */
export function maySend(socket: Connection, isHealthCheck: boolean): boolean {
  const its = socket[record];
  if (!its?.isExtra || isHealthCheck) return true;
  its.all.closeNewcomer(its);
  return false;
}

/**
 * Decides which connection is closed when there are too many: the oldest idle one without a valid key; if there is
 * none, the longest idle one of the source with the most. When a source has more than a quarter of all connections, its
 * longest unused ones count as strangers.
 */
export class Strangers {
  /** Connections without a valid key, oldest first. */
  private readonly strangers = new Set<Known>();
  /** Connections of each source, the longest unused first. */
  private readonly known = new Map<string, Set<Known>>();
  /** Connections beyond the limit, oldest first. */
  private readonly extra = new Set<Known>();
  private readonly maxPerSource: number;
  private count = 0;

  constructor(
    private readonly maxConnections: number,
    private readonly onClosed: (which: Closed) => void = () => undefined,
  ) {
    this.maxPerSource = Math.max(1, Math.floor(maxConnections / 4));
  }

  add(socket: Connection, isIdle: () => boolean): void {
    const its: Known = { socket, isIdle, all: this, source: undefined, usedAt: 0, isExtra: false };
    socket[record] = its;
    socket.once('close', () => this.remove(its));
    if (this.count < this.maxConnections || this.closeOne()) {
      this.count += 1;
      this.strangers.add(its);
    } else this.addExtra(its);
  }

  /** Notes that a request with a valid key was admitted on a connection. */
  know(its: Known, source: string): void {
    const now = performance.now();
    if (its.isExtra || its.socket.destroyed || (its.source === source && now - its.usedAt < noteEveryMs)) return;
    this.forget(its);
    its.source = source;
    its.usedAt = now;
    const group = this.known.get(source) ?? new Set();
    this.known.set(source, group);
    group.add(its);
    if (group.size > this.maxPerSource) this.demote(group);
  }

  /** Makes the longest unused connection of a source a stranger again. */
  private demote(group: Set<Known>): void {
    const [longest] = group;
    if (longest === undefined) return;
    group.delete(longest);
    longest.source = undefined;
    this.strangers.add(longest);
  }

  private remove(its: Known): void {
    if (its.isExtra) this.extra.delete(its);
    else if (this.forget(its)) this.count -= 1;
  }

  private forget(its: Known): boolean {
    if (its.source === undefined) return this.strangers.delete(its);
    const group = this.known.get(its.source);
    const wasThere = group?.delete(its) ?? false;
    if (group?.size === 0) this.known.delete(its.source);
    return wasThere;
  }

  /** Closes a connection beyond the limit. */
  closeNewcomer(its: Known): void {
    this.extra.delete(its);
    its.socket.destroy();
    this.onClosed('newcomer');
  }

  private closeOne(): boolean {
    if (this.closeFirstIdle(this.strangers, 'stranger')) return true;
    let largest = new Set<Known>();
    for (const group of this.known.values()) if (group.size > largest.size) largest = group;
    if (this.closeFirstIdle(largest, 'known')) return true;
    return [...this.known.values()].some((group) => this.closeFirstIdle(group, 'known'));
  }

  private closeFirstIdle(among: Set<Known>, which: Closed): boolean {
    for (const its of among) {
      if (!its.isIdle()) continue;
      this.remove(its);
      its.socket.destroy();
      this.onClosed(which);
      return true;
    }
    return false;
  }

  private addExtra(its: Known): void {
    its.isExtra = true;
    const [oldest] = this.extra;
    if (oldest && this.extra.size >= healthPlaces) this.closeNewcomer(oldest);
    this.extra.add(its);
  }
}
