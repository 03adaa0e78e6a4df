import { type SourceUsage } from '@sluice/sources';
import { type Quota, type QuotaCounts } from './quotas.js';
import { type UtcDay } from './utc-day.js';

interface Counts {
  requests: number;
  readonly messages: QuotaCounts;
  /** Messages that are being made durable. */
  readonly reserved: QuotaCounts;
}

/** Totals of a source that this process reports. */
type Change = Pick<Required<SourceUsage>, 'sourceIdentifier' | 'day' | 'requests' | 'messages' | 'people'>;

/** Counts requests and messages of sources, in this process and in others as far as they have reported. */
export class UsageBook {
  private day: string;
  private readonly own = new Map<string, Counts>();
  /** Latest records of other processes, by key. */
  private readonly others = new Map<string, SourceUsage>();
  /** Messages that the other processes have taken on this day, by source. */
  private readonly messagesElsewhere = new Map<string, QuotaCounts>();
  private readonly changed = new Set<string>();

  constructor(private readonly today: UtcDay) {
    this.day = today.name;
  }

  /** Counts a request of a source with a rate. */
  countRequest(source: string): void {
    this.openCounts(source).requests += 1;
    this.changed.add(source);
  }

  /** Counts messages against the quota until they are durable or given back. */
  reserve(source: string, messages: QuotaCounts): void {
    add(this.openCounts(source).reserved, messages, 1);
  }

  /** Ends the reservation of messages that are not durable. */
  giveBack(source: string, messages: QuotaCounts): void {
    add(this.openCounts(source).reserved, messages, -1);
  }

  /** Counts reserved messages that are durable. */
  countDurable(source: string, messages: QuotaCounts): void {
    this.roll();
    const counts = this.openCounts(source);
    add(counts.reserved, messages, -1);
    add(counts.messages, messages, 1);
    this.changed.add(source);
  }

  /** Messages of this day by their quota, including reserved ones and those that other processes have reported. */
  messagesToday(source: string, quota: Quota): number {
    this.roll();
    const counts = this.own.get(source);
    const elsewhere = this.messagesElsewhere.get(source)?.[quota] ?? 0;
    return counts ? counts.messages[quota] + counts.reserved[quota] + elsewhere : elsewhere;
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
    if (before) this.countElsewhere(before, -1);
    this.countElsewhere(usage, 1);
    return before ? Math.max(0, usage.requests - before.requests) : 0;
  }

  forget(key: string): void {
    const before = this.others.get(key);
    if (!before) return;
    this.others.delete(key);
    this.countElsewhere(before, -1);
  }

  /** Keys of records that are older than yesterday. */
  stale(): string[] {
    const yesterday = new Date(Date.parse(this.today.name) - 24 * 60 * 60 * 1_000).toISOString().slice(0, 10);
    return [...this.others].filter(([, { day }]) => day < yesterday).map(([key]) => key);
  }

  /** Totals to report: of the sources that `matters` accepts and that have changed since the last call. */
  takeChanges(matters: (source: string) => boolean): Change[] {
    this.roll();
    const sources = [...this.changed].filter(matters);
    this.changed.clear();
    return sources.map((sourceIdentifier) => {
      const { requests, messages } = this.openCounts(sourceIdentifier);
      return { sourceIdentifier, day: this.day, requests, messages: messages.events, people: messages.people };
    });
  }

  /** Marks sources as changed again, because their totals could not be reported. */
  markUnreported(sources: readonly string[]): void {
    for (const source of sources) this.changed.add(source);
  }

  /** Adds the messages of another process, if they are of this day. */
  private countElsewhere({ sourceIdentifier: source, day, messages, people = 0 }: SourceUsage, sign: 1 | -1): void {
    if (day !== this.day) return;
    const counts = this.messagesElsewhere.get(source) ?? noMessages();
    add(counts, { events: messages, people }, sign);
    this.messagesElsewhere.set(source, counts);
  }

  private openCounts(source: string): Counts {
    const existing = this.own.get(source);
    if (existing) return existing;
    const newCounts = { requests: 0, messages: noMessages(), reserved: noMessages() };
    this.own.set(source, newCounts);
    return newCounts;
  }

  /** Resets the counts of messages on a new day. */
  private roll(): void {
    const { name } = this.today;
    if (name === this.day) return;
    this.day = name;
    for (const counts of this.own.values()) Object.assign(counts.messages, noMessages());
    this.messagesElsewhere.clear();
    for (const usage of this.others.values()) this.countElsewhere(usage, 1);
  }
}

const noMessages = (): QuotaCounts => ({ events: 0, people: 0 });

function add(counts: QuotaCounts, { events, people }: QuotaCounts, sign: 1 | -1): void {
  counts.events += sign * events;
  counts.people += sign * people;
}

/** Compares two records of one process. Its count of requests only grows; its counts of messages grow within a day. */
const isNewer = (first: SourceUsage, second: SourceUsage): boolean =>
  first.requests > second.requests ||
  first.day > second.day ||
  (first.day === second.day && countMessages(first) > countMessages(second));

const countMessages = ({ messages, people = 0 }: SourceUsage): number => messages + people;
