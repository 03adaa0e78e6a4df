import { randomUUID } from 'node:crypto';
import { createClickHouse, migrate } from '@sluice/clickhouse';
import { createKafka } from '@sluice/kafka';
import { ensureSuppressionsTopic, PrivacyKey, SuppressionReader, SuppressionWriter } from '@sluice/privacy';
import { removeReplacedPartsAtOnce } from '@sluice/testing';
import { findMigrations } from '../status/migration-files.js';
import { ensureErasuresTopic, ErasureStore } from './erasure-store.js';
import { type ErasureResources } from './eraser.js';
import { type PersonId } from './people.js';
import { personTables } from './person-tables.js';
import { TableServers } from './servers.js';

export const source = 'AbCdEf123456';
export const otherSource = 'GhIjKl789012';
export const aUser = (id: string, idSource = source): PersonId => ({ source: idSource, kind: 'user', id });
export const anAnonymous = (id: string, idSource = source): PersonId => ({ source: idSource, kind: 'anonymous', id });
export const aSeller = (id: string, idSource = source): PersonId => ({ source: idSource, kind: 'seller', id });

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
  async resources(change: Partial<ErasureResources> = {}): Promise<ErasureResources> {
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
    const otherTables = ['refused_requests', 'ad_requests', 'sellers'];
    const counts: Record<string, number> = {};
    for (const table of [...tables, ...otherTables]) {
      const [row] = await this.rows<{ n: string }>(`SELECT count() AS n FROM ${table}`);
      counts[table] = Number(row?.n);
    }
    return counts;
  }

  /** Adds rows of people: two events and an identify under both ids, an event from before the sign-in, and others. */
  async addPeople(
    people: readonly (readonly [user: string, anonymous: string])[],
    rowSource = source,
    daysAgo = 3,
  ): Promise<void> {
    const rows = people.map(([user, anonymous]) => makeRows(user, anonymous, rowSource, timeAgo(daysAgo)));
    for (const table of Object.keys(rows[0] ?? {}))
      await this.insert(
        table,
        rows.flatMap((rowsByTable) => rowsByTable[table] ?? []),
      );
  }

  /** Adds rows of other people that name a user. */
  async addNames(user: string, groupIds: readonly unknown[]): Promise<void> {
    for (const [table, rows] of Object.entries(rowsNaming(user, groupIds, source, timeAgo(3))))
      await this.insert(table, rows);
  }
}

const timeAgo = (days: number): string => new Date(Date.now() - days * 86_400_000).toISOString();

/** Rows of other people that name a user: as a former id, as a group, and in bodies of any form that were refused. */
function rowsNaming(
  user: string,
  groupIds: readonly unknown[],
  rowSource: string,
  time: string,
): Record<string, object[]> {
  const common = { source_id: rowSource, received_at: time, timestamp: time };
  const id = () => ({ message_id: randomUUID(), request_id: randomUUID() });
  const escaped = Array.from(user, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`).join('');
  const members = ['userId', 'anonymousId', 'previousId', 'groupId', 'user\\u0049d', 'previous\\u0049\\u0064'];
  const texts = [...members.map((member) => `"${member}":"${user}"`), `"userId" : "${escaped}"`];
  const numbers = Number.isNaN(Number(user)) ? ['4.3e1', '43.0'] : [`${Number(user) / 10}e1`, `${user}.0`];
  const bodies = [...texts, ...numbers.map((number) => `"previousId":${number}`)].map(
    (text) => `[{"list":[{${text}}]}]`,
  );
  return {
    events: groupIds.map((groupId) => ({
      ...{ ...common, ...id(), user_id: 'member', event: 'group', properties: { groupId }, context: {} },
    })),
    identifies: [{ ...common, ...id(), user_id: 'renamed', anonymous_id: user, traits: {}, context: {} }],
    refused_messages: bodies.map((body) => ({ ...common, ...id(), kind: 'segment', reason: 'invalid_fields', body })),
    refused_requests: bodies.map((body) => ({ ...common, ...id(), kind: 'refused', reason: 'r', body })),
  };
}

function makeRows(user: string, anonymous: string, rowSource: string, time: string): Record<string, object[]> {
  const common = { source_id: rowSource, received_at: time, timestamp: time };
  const bothIds = { user_id: user, anonymous_id: anonymous };
  const id = () => ({ message_id: randomUUID(), request_id: randomUUID() });
  const body = JSON.stringify({ userId: user, anonymousId: anonymous, event: 5 });
  return {
    events: [
      { ...common, ...bothIds, ...id(), event: 'opened', properties: {}, context: {} },
      { ...common, ...bothIds, ...id(), event: 'closed', properties: {}, context: {} },
      { ...common, anonymous_id: anonymous, ...id(), event: 'opened', properties: {}, context: {} },
    ],
    identifies: [{ ...common, ...bothIds, ...id(), traits: { email: `${user}@example.com` }, context: {} }],
    push_interactions: [
      {
        ...{ source_id: rowSource, campaign_id: 'c', notification_id: `n-${user}`, interaction: 'clicked' },
        ...{ profile_id: user, issued_at: time, occurred_at: time, received_at: time, request_id: randomUUID() },
      },
    ],
    push_devices: [
      { source_id: rowSource, device_id: `d-${user}`, key: 'k', ...bothIds, registered_at: time, received_at: time },
    ],
    refused_messages: [
      { ...common, ...id(), kind: 'track', event: '', reason: 'invalid_fields', body },
      { ...common, ...bothIds, ...id(), kind: 'track', event: 'x', reason: 'plan', body },
    ],
    refused_requests: [
      { ...id(), source_id: '', kind: 'refused', reason: 'r', received_at: time, body: body.slice(0, -3) },
    ],
    ad_requests: [
      { ...id(), source_id: rowSource, endpoint: 'ad', received_at: time, body: { user: { id: anonymous } } },
    ],
  };
}
