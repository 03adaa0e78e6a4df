import { NameTable, nextRequestNumber, type UsedNames } from '@sluice/messages';
import { BoundedLabel, Counter, Gauge, type Registry } from '@sluice/service';
import { type UtcDay } from './utc-day.js';

/** Upper bound of the names of all sources; a name takes 24 bytes at most. */
const maxNames = 1_000_000;
/** Part of them that all sources may have before the part of each is bounded. */
const freelyHeldPart = 1 / 2;
/** Beyond that, a source may hold as many names as this part of the free ones, as of the spool's disk (spool-parts.ts). */
const partOfFree = 1 / 2;
/** Upper bound of sources with counts of their own; later sources share one count. */
const maxSources = 2_000;
const dayMs = 24 * 60 * 60 * 1_000;

/** The names of a source for one request: its new names count when it is stored, not when it is refused. */
export interface RequestNames extends UsedNames {
  /** Counts a message with names beyond the bound. */
  countBeyond(): void;
  /** Must be called when the messages of the request are published. */
  commit(): void;
}

interface SourceNamesOptions {
  /** Gives the bound of a source. */
  boundFor: (source: string) => number;
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
  private readonly tables = new Map<string, NameTable>();
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

  /**
   * The names of a source for one request.
   * @param isTrial whether nothing is stored, so that no name counts as used
   * @param label of the source in metrics, which is the source by default
   */
  namesFor(source: string, isTrial: boolean, label = source): RequestNames {
    this.roll();
    const Names = isTrial ? TrialNames : NewNames;
    return new Names(this.openTable(source), this, source, label);
  }

  /** Whether a source that holds `heldNames` names may add one. */
  hasRoomFor(source: string, heldNames: number): boolean {
    const { boundFor, max = maxNames } = this.options;
    if (heldNames >= boundFor(source)) return false;
    return this.size < max * freelyHeldPart || heldNames < (max - this.size) * partOfFree;
  }

  /** Remembers names that a stored request used, and counts its messages with names beyond the bound. */
  remember(source: string, label: string, addedPaths: Iterable<number>, beyond: number): void {
    const table = this.openTable(source);
    for (const path of addedPaths) {
      if (table.has(path)) continue;
      table.add(path);
      this.size += 1;
    }
    if (beyond === 0) return;
    const sourceLabel = this.labels.labelFor(label);
    this.beyond.inc({ source: sourceLabel }, beyond);
    this.reached.add(sourceLabel);
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

  private openTable(source: string): NameTable {
    let table = this.tables.get(source);
    if (!table) {
      table = new NameTable();
      table.day = this.dayNumber;
      this.tables.set(source, table);
    }
    if (table.day !== this.dayNumber) this.renew(table);
    return table;
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
    for (const [source, table] of this.tables) {
      if (table.day >= this.dayNumber - 1) continue;
      this.size -= table.size;
      this.tables.delete(source);
    }
  }
}

/** Names that a request uses and its source has not used before. */
class NewNames implements RequestNames {
  readonly request = nextRequestNumber();
  private addedPaths: Set<number> | undefined;
  private beyond = 0;

  constructor(
    protected readonly table: NameTable,
    private readonly book: SourceNames,
    private readonly source: string,
    private readonly label: string,
  ) {}

  has(path: number): boolean {
    return this.table.has(path) || this.isAdded(path);
  }

  protected isAdded(path: number): boolean {
    return this.addedPaths?.has(path) === true;
  }

  admit(path: number): boolean {
    if (this.has(path)) return true;
    if (!this.book.hasRoomFor(this.source, this.table.size + (this.addedPaths?.size ?? 0))) return false;
    (this.addedPaths ??= new Set()).add(path);
    return true;
  }

  countBeyond(): void {
    this.beyond += 1;
  }

  commit(): void {
    if (this.addedPaths === undefined && this.beyond === 0) return;
    this.book.remember(this.source, this.label, this.addedPaths ?? [], this.beyond);
  }
}

/** The names of a request that stores nothing: they do not count as used. */
class TrialNames extends NewNames {
  override has(path: number): boolean {
    return this.table.knows(path) || this.isAdded(path);
  }
}
