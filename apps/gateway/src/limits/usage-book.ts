import { type SourceUsage } from '@sluice/sources';
import { type UtcDay } from './utc-day.js';

interface Own {
  requests: number;
  messages: number;
}

type Counts = Own & {
  /** Messages that are being made durable. */
  reserved: number;
};

/** Counts requests and messages of sources, in this process and in others as far as they have reported. */
export class UsageBook {
  private day: string;
  private readonly own = new Map<string, Counts>();
  /** Latest records of other processes, by key. */
  private readonly others = new Map<string, SourceUsage>();
  /** Messages that the other processes have taken on this day, by source. */
  private readonly messagesElsewhere = new Map<string, number>();
  private readonly changed = new Set<string>();

  constructor(private readonly today: UtcDay) {
    this.day = today.name;
  }

  /** Counts a request of a source with a rate. */
  requestTaken(source: string): void {
    this.ownOf(source).requests += 1;
    this.changed.add(source);
  }

  /** Counts messages against the quota until they are durable or given back. */
  reserve(source: string, messages: number): void {
    this.ownOf(source).reserved += messages;
  }

  /** Ends the reservation of messages that are not durable. */
  giveBack(source: string, messages: number): void {
    this.ownOf(source).reserved -= messages;
  }

  /** Counts reserved messages that are durable. */
  messagesTaken(source: string, messages: number): void {
    this.roll();
    const own = this.ownOf(source);
    own.reserved -= messages;
    own.messages += messages;
    this.changed.add(source);
  }

  /** Number of messages of this day, including reserved ones and those that other processes have reported. */
  messagesToday(source: string): number {
    this.roll();
    const { messages = 0, reserved = 0 } = this.own.get(source) ?? {};
    return messages + reserved + (this.messagesElsewhere.get(source) ?? 0);
  }

  /**
   * Replaces the record of another process, unless the known one is newer: reading a topic again begins with old
   * records.
   * @returns the number of requests since its previous record; 0 for the first one.
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

  /** Keys of records that are older than yesterday. */
  stale(): string[] {
    const yesterday = new Date(Date.parse(this.today.name) - 24 * 60 * 60 * 1_000).toISOString().slice(0, 10);
    return [...this.others].filter(([, { day }]) => day < yesterday).map(([key]) => key);
  }

  /** Totals to report: of the sources that `matters` accepts and that have changed since the last call. */
  takeChanges(matters: (source: string) => boolean): (Own & { sourceIdentifier: string; day: string })[] {
    this.roll();
    const sources = [...this.changed].filter(matters);
    this.changed.clear();
    return sources.map((sourceIdentifier) => {
      const { requests, messages } = this.ownOf(sourceIdentifier);
      return { sourceIdentifier, day: this.day, requests, messages };
    });
  }

  /** Marks sources as changed again, because their totals could not be reported. */
  untold(sources: readonly string[]): void {
    for (const source of sources) this.changed.add(source);
  }

  private ofToday(usage: SourceUsage | undefined): number {
    return usage?.day === this.day ? usage.messages : 0;
  }

  private ownOf(source: string): Counts {
    const known = this.own.get(source);
    if (known) return known;
    const fresh = { requests: 0, messages: 0, reserved: 0 };
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

/** Compares two records of one process. Its count of requests only grows; its count of messages grows within a day. */
const isNewer = (one: SourceUsage, other: SourceUsage): boolean =>
  one.requests > other.requests || one.day > other.day || (one.day === other.day && one.messages > other.messages);
