import { readFile } from 'node:fs/promises';
import { createClient, ClickHouseLogLevel, type ClickHouseClient } from '@clickhouse/client';

const migrations = {
  events: new URL('../../../../apps/tracking/migrations/0001-events.sql', import.meta.url),
  identifies: new URL('../../../../apps/tracking/migrations/0002-identifies.sql', import.meta.url),
};

/** Counts of sent messages and stored raw rows. */
export interface Balance {
  sent: number;
  stored: number;
  unique: number;
  lost: number;
  doubled: number;
}

/** Compares the rows stored in a database with the messages sent. */
export class EventsLedger {
  private readonly client: ClickHouseClient;

  constructor(
    private readonly url: string,
    readonly database: string,
    /** Column that identifies a row. */
    private readonly identity: 'message_id' | 'user_id' = 'message_id',
    /** The only source to count, if other tests send to the same Kafka. */
    private readonly source?: string,
  ) {
    this.client = createClient({ url, database, log: { level: ClickHouseLogLevel.OFF }, request_timeout: 60_000 });
  }

  /**
   * Creates the tables of the migrations with a unique key for each raw row, because merges would hide duplicates. The
   * engine stays the same, because views read the tables with FINAL.
   */
  async prepare(tables: readonly (keyof typeof migrations)[] = ['events']): Promise<void> {
    for (const table of tables) {
      const sql = await readFile(migrations[table], 'utf8');
      const [create = ''] = sql.split(/;\s*$/m);
      const query = create
        .replace('kafka_partition UInt16', 'copy UUID DEFAULT generateUUIDv4(), kafka_partition UInt16')
        .replace(/message_id\)\n/, 'message_id, copy)\n');
      if (!/copy UUID[^]*message_id, copy\)/.test(query)) throw new Error(`the migration of ${table} is not as it was`);
      await this.client.command({ query });
    }
  }

  command(query: string): Promise<unknown> {
    return this.client.command({ query });
  }

  /** @throws while ClickHouse is unavailable. */
  async balance(acknowledged: ReadonlySet<string>): Promise<Balance> {
    const rows = await this.select<{ id: string; n: string }>(
      `SELECT toString(${this.identity}) AS id, count() AS n FROM events ${this.where()} GROUP BY id`,
    );
    const stored = rows.reduce((sum, { n }) => sum + Number(n), 0);
    const ids = new Set(rows.map(({ id }) => id));
    const lost = [...acknowledged].filter((id) => !ids.has(id)).length;
    return { sent: acknowledged.size, stored, unique: ids.size, lost, doubled: stored - ids.size };
  }

  /** A ledger of the same table with another identity column. */
  identifiedBy(identity: 'message_id' | 'user_id'): EventsLedger {
    return new EventsLedger(this.url, this.database, identity, this.source);
  }

  async count(): Promise<number> {
    const [row] = await this.select<{ n: string }>(
      `SELECT uniqExact(${this.identity}) AS n FROM events ${this.where()}`,
    );
    return Number(row?.n);
  }

  private where(): string {
    return this.source === undefined ? '' : `WHERE source_id = '${this.source}'`;
  }

  close(): Promise<void> {
    return this.client.close();
  }

  async select<T>(query: string): Promise<T[]> {
    const result = await this.client.query({ query, format: 'JSONEachRow' });
    return result.json<T>();
  }
}
