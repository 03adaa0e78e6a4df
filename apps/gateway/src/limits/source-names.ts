import { NameTable, type UsedNames } from '@sluice/messages';
import { BoundedLabel, Counter, Gauge, type Registry } from '@sluice/service';
import { type UtcDay } from './utc-day.js';

/** Upper bound of the names of all sources; a name takes 24 bytes at most. */
const maxNames = 1_000_000;
/** Part of them that all sources may have before the part of each is bounded. */
const ofAll = 1 / 2;
/** Part of what is free that a source may have beyond that, as of the spool's disk (spool-parts.ts). */
const ofFree = 1 / 2;
/** Upper bound of sources with counts of their own; later sources share one count. */
const maxSources = 2_000;
const dayMs = 24 * 60 * 60 * 1_000;

/** The names of one source. */
interface Entry {
  readonly table: NameTable;
  readonly used: UsedNames;
}

interface SourceNamesOptions {
  /** Gives the bound of a source. */
  boundOf: (source: string) => number;
  today: Pick<UtcDay, 'name'>;
  metrics: Registry;
  /** `maxNames` by default. */
  max?: number;
}

/**
 * The names that sources use in free-form objects, as paths. A source may use a bounded number on two days: a name counts
 * on the day of its last use and on the next one, so midnight takes no name from a source that uses the same ones each
 * day (docs/decisions/0081-distinct-names.md).
 */
export class SourceNames {
  private readonly entries = new Map<string, Entry>();
  private day = '';
  private dayNumber = 0;
  /** Names of all sources. */
  private size = 0;
  private readonly beyond: Counter<'source'>;
  private readonly labels = new BoundedLabel(maxSources);
  /** Sources that had names beyond their bound on this day. */
  private readonly reached = new Set<string>();

  constructor(private readonly options: SourceNamesOptions) {
    const registers = [options.metrics];
    this.beyond = new Counter({
      name: 'sluice_gateway_source_more_names_total',
      help: 'Messages with names beyond the bound of their source, whose values were kept as text, by source',
      labelNames: ['source'],
      registers,
    });
    this.observe(options.metrics);
  }

  /** @param isTrial whether nothing is stored, so that no name is remembered */
  of(source: string, isTrial: boolean): UsedNames {
    this.roll();
    const { table, used } = this.entryOf(source);
    if (!isTrial) return used;
    const [added, bound] = [new Set<number>(), this.options.boundOf(source)];
    const admit = (path: number): boolean => {
      if (table.has(path) || added.has(path)) return true;
      return this.hasRoom(table.size + added.size, bound) && added.add(path).size > 0;
    };
    return { has: used.has, admit };
  }

  /** Counts a message with names beyond the bound. */
  countBeyond(source: string): void {
    const label = this.labels.of(source);
    this.beyond.inc({ source: label });
    this.reached.add(label);
  }

  private observe(metrics: Registry): void {
    const [size, reached] = [(): number => this.size, (): Iterable<string> => this.reachedToday()];
    new Gauge({
      name: 'sluice_gateway_source_names',
      help: 'Names of free-form objects that are remembered, of all sources',
      registers: [metrics],
      collect() {
        this.set(size());
      },
    });
    new Gauge({
      name: 'sluice_gateway_source_names_reached',
      help: '1 for a source that had names beyond its bound on this day (UTC), by source',
      labelNames: ['source'],
      registers: [metrics],
      aggregator: 'max',
      collect() {
        this.reset();
        for (const source of reached()) this.set({ source }, 1);
      },
    });
  }

  private reachedToday(): Iterable<string> {
    this.roll();
    return this.reached;
  }

  private add(table: NameTable, path: number, bound: number): boolean {
    if (!this.hasRoom(table.size, bound)) return false;
    table.add(path);
    this.size += 1;
    return true;
  }

  private hasRoom(own: number, bound: number): boolean {
    const { max = maxNames } = this.options;
    if (own >= bound) return false;
    return this.size < max * ofAll || own < (max - this.size) * ofFree;
  }

  private entryOf(source: string): Entry {
    let entry = this.entries.get(source);
    if (!entry) {
      const table = new NameTable();
      table.day = this.dayNumber;
      const has = (path: number): boolean => table.has(path);
      const admit = (path: number): boolean => has(path) || this.add(table, path, this.options.boundOf(source));
      entry = { table, used: { has, admit } };
      this.entries.set(source, entry);
    }
    if (entry.table.day !== this.dayNumber) this.renew(entry.table);
    return entry;
  }

  /** Forgets what a source used last before yesterday, when it is needed: not those of all sources at midnight. */
  private renew(table: NameTable): void {
    const before = table.size;
    table.day = this.dayNumber;
    table.forgetBefore(this.dayNumber - 1);
    this.size += table.size - before;
  }

  private roll(): void {
    const { name } = this.options.today;
    if (name === this.day) return;
    this.day = name;
    this.reached.clear();
    this.dayNumber = Date.parse(name) / dayMs;
    for (const [source, { table }] of this.entries) {
      if (table.day >= this.dayNumber - 1) continue;
      this.size -= table.size;
      this.entries.delete(source);
    }
  }
}
