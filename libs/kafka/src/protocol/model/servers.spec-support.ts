import { FinalError } from '@sluice/contracts';
import { type Random } from '@sluice/testing';
import { type StoredMessage } from '../block.js';
import { type Commit, type LogRange } from '../committed.js';

/** `unreadable` rows are rejected without an INSERT; `odd` ones only by the table, which refuses an INSERT with one. */
export type Kind = 'good' | 'unreadable' | 'odd';

export const readKind = ({ value }: StoredMessage): Kind => (value?.toString() ?? 'good') as Kind;

/** One partition and the group that reads it. */
export class Broker {
  readonly messages: StoredMessage[] = [];
  /** The answer of OffsetFetch. */
  committed: Commit = { offset: '-1', metadata: null };
  generation = 0;
  private end = 0;
  /** Commits that Kafka took and has not replicated yet: they are invisible, and their senders have no answer. */
  private pending: { readonly commit: Commit; isVisible: boolean }[] = [];

  append(kind: Kind): void {
    const offset = String(this.end++);
    const value = Buffer.from(kind);
    this.messages.push({ key: null, value, headers: {}, offset, timestamp: String(1_000 + this.messages.length) });
  }

  /** Appends an offset without a message, as compaction leaves them. */
  appendHole(): void {
    this.end += 1;
  }

  get range(): LogRange {
    return { low: '0', high: String(this.end) };
  }

  /**
   * Returns a function that says whether the commit is visible yet.
   * @throws as Kafka does for a member of an old generation.
   */
  commit(generation: number, commit: Commit): () => boolean {
    if (generation !== this.generation) throw new Error('illegal generation');
    const request = { commit, isVisible: false };
    this.pending.push(request);
    return () => request.isVisible;
  }

  /** Replicates all commits so far. */
  replicate(): void {
    for (const request of this.pending.splice(0)) {
      request.isVisible = true;
      this.committed = request.commit;
    }
  }

  fetch(from: bigint, rows: number): StoredMessage[] {
    return this.messages.filter(({ offset }) => BigInt(offset) >= from).slice(0, rows);
  }
}

/** A table that only appends, with deduplication by token. */
export class Table {
  readonly rows: StoredMessage[] = [];
  private readonly tokens = new Set<string>();

  holds({ offset, timestamp }: StoredMessage): boolean {
    return this.rows.some((row) => row.offset === offset && row.timestamp === timestamp);
  }

  remembers(token: string): boolean {
    return this.tokens.has(token);
  }

  /** @throws FinalError, having stored nothing, when the table refuses one of the rows. */
  insert(token: string, rows: readonly StoredMessage[]): void {
    if (rows.some((row) => readKind(row) !== 'good')) throw new FinalError('refused');
    if (rows.length === 0 || this.tokens.has(token)) return;
    this.tokens.add(token);
    this.rows.push(...rows);
  }

  /** The server dies during an INSERT and does not acknowledge it: its token is remembered, its rows are lost. */
  dieOver(token: string): never {
    this.tokens.add(token);
    throw new Error('connection reset');
  }

  /** The deduplication window has moved on. */
  forgetTokens(): void {
    this.tokens.clear();
  }
}

/** The shards of ClickHouse, each with a table, and for each version of the map the shard of our partition. */
export class Shards {
  private readonly tables = new Map<string, Table>();
  /** Version 1 is the first. */
  readonly versions: string[] = [];
  readonly letters: StoredMessage[] = [];

  /** @param names of the shards; without any, there is one server and no map */
  constructor(private readonly names: readonly string[] = []) {
    for (const name of names.length > 0 ? names : ['']) this.tables.set(name, new Table());
    if (names[0] !== undefined) this.versions.push(names[0]);
  }

  /** Moves the partition to a random shard among those used so far and the next one. */
  move(random: Random): void {
    const knownNames = this.names.slice(0, 1 + new Set(this.versions).size);
    if (knownNames.length > 0) this.versions.push(random.pick(knownNames));
  }

  table(shard = ''): Table {
    const table = this.tables.get(shard);
    if (!table) throw new Error(`no shard ${shard}`);
    return table;
  }

  get allTables(): Table[] {
    return [...this.tables.values()];
  }

  get rows(): StoredMessage[] {
    return this.allTables.flatMap(({ rows }) => rows);
  }
}
