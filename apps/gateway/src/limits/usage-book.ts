import { type SourceUsage } from '@sluice/sources';
import { type UtcDay } from './utc-day.js';

interface Own {
  requests: number;
  messages: number;
}

/** Counts requests and messages of sources: of this process, and of others as far as they have told. */
export class UsageBook {
  private day: string;
  private readonly own = new Map<string, Own>();
  /** Latest records of other processes, by key. */
  private readonly others = new Map<string, SourceUsage>();
  /** Messages of the other processes on this day, by source. */
  private readonly messagesElsewhere = new Map<string, number>();
  private readonly changed = new Set<string>();

  constructor(private readonly today: UtcDay) {
    this.day = today.name;
  }

  /** Counts a request against its rate. */
  requestTaken(source: string): void {
    this.ownOf(source).requests += 1;
    this.changed.add(source);
  }

  /** Counts messages that are durable. */
  messagesTaken(source: string, messages: number): void {
    this.roll();
    this.ownOf(source).messages += messages;
    this.changed.add(source);
  }

  /** Number of messages of this day, including those of other processes as far as they have told. */
  messagesToday(source: string): number {
    this.roll();
    return (this.own.get(source)?.messages ?? 0) + (this.messagesElsewhere.get(source) ?? 0);
  }

  /**
   * Replaces the record of another process, unless the known one is newer: a topic read anew begins with old records.
   * @returns the number of requests since its last record; 0 at its first.
   */
  learn(key: string, usage: SourceUsage): number {
    this.roll();
    const before = this.others.get(key);
    if (before && isNewer(before, usage)) return 0;
    this.others.set(key, usage);
    const { sourceIdentifier: source } = usage;
    const known = this.messagesElsewhere.get(source) ?? 0;
    this.messagesElsewhere.set(source, known - this.ofToday(before) + this.ofToday(usage));
    return before ? Math.max(0, usage.requests - before.requests) : 0;
  }

  forget(key: string): void {
    const before = this.others.get(key);
    if (!before) return;
    this.others.delete(key);
    const known = this.messagesElsewhere.get(before.sourceIdentifier) ?? 0;
    this.messagesElsewhere.set(before.sourceIdentifier, known - this.ofToday(before));
  }

  /** Keys of processes of which nothing was heard on this day or the one before. */
  stale(): string[] {
    const yesterday = new Date(Date.parse(this.today.name) - 24 * 60 * 60 * 1_000).toISOString().slice(0, 10);
    return [...this.others].filter(([, { day }]) => day < yesterday).map(([key]) => key);
  }

  /** Totals to tell others: of the sources that `matters` names and that have sent something since the last call. */
  takeChanges(matters: (source: string) => boolean): (Own & { sourceIdentifier: string; day: string })[] {
    this.roll();
    const sources = [...this.changed].filter(matters);
    this.changed.clear();
    return sources.map((sourceIdentifier) => ({ sourceIdentifier, day: this.day, ...this.ownOf(sourceIdentifier) }));
  }

  /** Marks sources as changed again, because they could not be told. */
  untold(sources: readonly string[]): void {
    for (const source of sources) this.changed.add(source);
  }

  private ofToday(usage: SourceUsage | undefined): number {
    return usage?.day === this.day ? usage.messages : 0;
  }

  private ownOf(source: string): Own {
    const known = this.own.get(source);
    if (known) return known;
    const fresh = { requests: 0, messages: 0 };
    this.own.set(source, fresh);
    return fresh;
  }

  /** Resets the counts of messages on a new day. */
  private roll(): void {
    const { name } = this.today;
    if (name === this.day) return;
    this.day = name;
    for (const own of this.own.values()) own.messages = 0;
    this.messagesElsewhere.clear();
    for (const usage of this.others.values()) {
      const known = this.messagesElsewhere.get(usage.sourceIdentifier) ?? 0;
      this.messagesElsewhere.set(usage.sourceIdentifier, known + this.ofToday(usage));
    }
  }
}

/** Compares two records of one process: its counts only grow, that of messages within a day. */
const isNewer = (one: SourceUsage, other: SourceUsage): boolean =>
  one.requests > other.requests || one.day > other.day || (one.day === other.day && one.messages > other.messages);
