import { randomUUID } from 'node:crypto';
import { createClickHouse, migrate } from '@sluice/clickhouse';
import { createKafka } from '@sluice/kafka';
import { ensureSuppressionsTopic, PrivacyKey, SuppressionReader, SuppressionWriter } from '@sluice/privacy';
import { removeReplacedPartsAtOnce } from '@sluice/testing';
import { findMigrations } from '../status/migration-files.js';
import { ensureErasuresTopic, ErasureStore } from './erasure-store.js';
import { type ErasureWorld } from './eraser.js';
import { type PersonId } from './people.js';
import { personTables } from './person-tables.js';
import { TableServers } from './servers.js';

export const source = 'AbCdEf123456';
export const otherSource = 'GhIjKl789012';
export const aUser = (id: string, of = source): PersonId => ({ source: of, kind: 'user', id });
export const anAnonymous = (id: string, of = source): PersonId => ({ source: of, kind: 'anonymous', id });
export const aSeller = (id: string, of = source): PersonId => ({ source: of, kind: 'seller', id });

const insertSettings = { date_time_input_format: 'best_effort' } as const;

/** A database of its own and the topics of this installation, with rows of people. */
export class ErasureBed {
  readonly config;
  readonly client;
  readonly kafka;
  readonly key = new PrivacyKey('a secret of the tests, long enough');
  private readonly opened: (() => Promise<void>)[] = [];

  constructor(kafkaBrokers: string[], clickhouseUrl: string) {
    this.config = {
      KAFKA_BROKERS: kafkaBrokers,
      TOPIC_PARTITIONS: 1,
      TOPIC_REPLICATION_FACTOR: 1,
      CLICKHOUSE_URL: clickhouseUrl,
      CLICKHOUSE_DATABASE: `erasure_${randomUUID().replaceAll('-', '')}`,
      CLICKHOUSE_USER: 'default',
      CLICKHOUSE_PASSWORD: '',
    };
    this.client = createClickHouse(this.config);
    this.kafka = createKafka(this.config, 'test');
  }

  async prepare(): Promise<void> {
    await migrate(this.config, await findMigrations());
    await removeReplacedPartsAtOnce(
      this.client,
      personTables.map(({ table }) => table),
    );
    await ensureErasuresTopic(this.kafka, this.config);
    await ensureSuppressionsTopic(this.kafka, this.config);
  }

  /** Opens what a process of the operator opens. */
  async world(change: Partial<ErasureWorld> = {}): Promise<ErasureWorld> {
    const [store, reader] = [new ErasureStore(this.kafka), new SuppressionReader(this.kafka, this.key)];
    const writer = new SuppressionWriter(this.kafka, reader.registry, this.key);
    const servers = new TableServers(this.config);
    await Promise.all([store.start(), reader.start()]);
    this.opened.push(() =>
      Promise.all([store.stop(), reader.stop(), writer.stop(), servers.close()]).then(() => undefined),
    );
    return {
      kafka: this.kafka,
      key: this.key,
      store,
      suppressions: { registry: reader.registry, writer },
      servers,
      gateways: [],
      consumers: [],
      tables: { adRequestPaths: ['user.id'] },
      backupDays: 30,
      verifyAfterMs: 0,
      now: Date.now,
      ...change,
    };
  }

  async closeWorlds(): Promise<void> {
    await Promise.all(this.opened.splice(0).map((close) => close()));
  }

  async stop(): Promise<void> {
    await this.closeWorlds();
    await this.client.command({ query: `DROP DATABASE ${this.config.CLICKHOUSE_DATABASE}` });
    await this.client.close();
  }

  async insert(table: string, values: readonly object[]): Promise<void> {
    await this.client.insert({ table, values, format: 'JSONEachRow', clickhouse_settings: insertSettings });
  }

  async rows<Row = Record<string, unknown>>(query: string): Promise<Row[]> {
    return (await this.client.query({ query, format: 'JSONEachRow' })).json<Row>();
  }

  /** Numbers of rows, by table. */
  async rowsByTable(): Promise<Record<string, number>> {
    const tables = ['events', 'identifies', 'users', 'push_interactions', 'push_devices', 'refused_messages'];
    const more = ['refused_requests', 'ad_requests', 'sellers'];
    const counts: Record<string, number> = {};
    for (const table of [...tables, ...more]) {
      const [row] = await this.rows<{ n: string }>(`SELECT count() AS n FROM ${table}`);
      counts[table] = Number(row?.n);
    }
    return counts;
  }

  /** Adds rows of people: two events and an identify under both ids, an event from before the sign-in, and others. */
  async addPeople(
    people: readonly (readonly [user: string, anonymous: string])[],
    of = source,
    daysAgo = 3,
  ): Promise<void> {
    const at = new Date(Date.now() - daysAgo * 86_400_000).toISOString();
    const rows = people.map(([user, anonymous]) => rowsOf(user, anonymous, of, at));
    for (const table of Object.keys(rows[0] ?? {}))
      await this.insert(
        table,
        rows.flatMap((one) => one[table] ?? []),
      );
  }
}

function rowsOf(user: string, anonymous: string, of: string, at: string): Record<string, object[]> {
  const common = { source_id: of, received_at: at, timestamp: at };
  const both = { user_id: user, anonymous_id: anonymous };
  const id = () => ({ message_id: randomUUID(), request_id: randomUUID() });
  const body = JSON.stringify({ userId: user, anonymousId: anonymous, event: 5 });
  return {
    events: [
      { ...common, ...both, ...id(), event: 'opened', properties: {}, context: {} },
      { ...common, ...both, ...id(), event: 'closed', properties: {}, context: {} },
      { ...common, anonymous_id: anonymous, ...id(), event: 'opened', properties: {}, context: {} },
    ],
    identifies: [{ ...common, ...both, ...id(), traits: { email: `${user}@example.com` }, context: {} }],
    push_interactions: [
      {
        ...{ source_id: of, campaign_id: 'c', notification_id: `n-${user}`, interaction: 'clicked' },
        ...{ profile_id: user, issued_at: at, occurred_at: at, received_at: at, request_id: randomUUID() },
      },
    ],
    push_devices: [{ source_id: of, device_id: `d-${user}`, key: 'k', ...both, registered_at: at, received_at: at }],
    refused_messages: [
      { ...common, ...id(), kind: 'track', event: '', reason: 'invalid_fields', body },
      { ...common, ...both, ...id(), kind: 'track', event: 'x', reason: 'plan', body },
    ],
    refused_requests: [
      { ...id(), source_id: '', kind: 'refused', reason: 'r', received_at: at, body: body.slice(0, -3) },
    ],
    ad_requests: [{ ...id(), source_id: of, endpoint: 'ad', received_at: at, body: { user: { id: anonymous } } }],
  };
}
