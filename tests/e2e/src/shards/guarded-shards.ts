import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createKafka, type Kafka } from '@sluice/kafka';
import { freePort, type RunningKafka, runOperator, type ServerProcess } from '@sluice/testing';
import { type ConsumerApp, startConsumer } from '../faults/consumer-process.js';
import { type GatewayProcess, startGatewayProcess } from '../gateway-process.js';
import { sendMessage, sendOfEach, type MessageSource } from '../rights/each-message.js';
import { allow, signedIn, startGuardedKafka, usersWith } from '../rights/guarded-servers.js';
import { acls, readGrants, shardAcls } from '../rights/rights-page.js';
import { ShardServers } from './shard-servers.js';

export const consumerApps: readonly ConsumerApp[] = ['tracking', 'catalog', 'push-interaction'];
const atOnce = 10;

/** All apps with the rights of docs/rights.md, a guarded Kafka, and servers of ClickHouse that become shards. */
export class GuardedShards {
  /** False until the operator and the consumers know of shards. */
  isSharded = false;
  drained = '';
  /** Shards that CLICKHOUSE_SHARDS does not name any more. */
  shardsLeftOut: readonly string[] = [];
  readonly consumers: ServerProcess[] = [];
  /** Number of persons whose messages `send` has sent. */
  sent = 0;
  /** Additional environment variables of all apps. */
  settings: Readonly<Record<string, string>> = {};
  private gateway: GatewayProcess | undefined;
  source: MessageSource = { sourceIdentifier: '', apiKey: '' };
  private readonly pushTokenKeys = `k:${randomBytes(32).toString('base64url')}`;

  private constructor(
    readonly folder: string,
    private readonly kafkaPort: number,
    private readonly kafka: RunningKafka,
    readonly admin: Kafka,
    readonly servers: ShardServers,
  ) {}

  static async start(): Promise<GuardedShards> {
    const folder = await mkdtemp(join(tmpdir(), 'sluice-life-'));
    const servers = new ShardServers(folder, usersWith(readGrants({ shards: true })));
    const port = await freePort();
    const [kafka] = await Promise.all([startGuardedKafka(join(folder, 'kafka'), port), servers.add()]);
    const admin = createKafka({ KAFKA_BROKERS: kafka.brokers }, 'test');
    await allow(admin, [...acls(), ...shardAcls()]);
    return new GuardedShards(folder, port, kafka, admin, servers);
  }

  async startGateway(): Promise<void> {
    this.source = JSON.parse(
      await this.operator('sources', 'create', '--name', 'Shop', '--type', 'tracking-api', '--json'),
    ) as MessageSource;
    const settings = this.userEnvironment('gateway');
    this.gateway = await startGatewayProcess({ ...settings, PUSH_TOKEN_KEYS: this.pushTokenKeys });
  }

  async startConsumers(): Promise<void> {
    const { folder } = this;
    const started = consumerApps.map((app) => {
      const settings = this.userEnvironment(app);
      const { KAFKA_BROKERS = '', CLICKHOUSE_URL = '', CLICKHOUSE_DATABASE = '' } = settings;
      const options = { brokers: [KAFKA_BROKERS], clickhouseUrl: CLICKHOUSE_URL, database: CLICKHOUSE_DATABASE };
      return startConsumer(app, { ...options, folder, settings });
    });
    this.consumers.push(...(await Promise.all(started)));
  }

  async stopConsumers(): Promise<void> {
    await Promise.all(this.consumers.splice(0).map((consumer) => consumer.stop(30_000)));
  }

  /** Runs the operator's command line. Resolves with what it prints; @throws when it fails. */
  async operator(...args: string[]): Promise<string> {
    const settings = { SLUICE_DATA_DIR: this.folder, ...this.userEnvironment('operator') };
    return (await runOperator(args, settings)).stdout;
  }

  get gatewayMetrics(): string {
    return `${this.gateway?.managementUrl ?? ''}/metrics`;
  }

  /** Posts a message to a route of the Tracking API, such as `track`. */
  async post(route: string, body: object): Promise<void> {
    const { gateway, source } = this;
    if (!gateway) throw new Error('no gateway was started');
    await sendMessage({ gateway, source }, `/api/tracker/sdk/${source.sourceIdentifier}/${route}`, body);
  }

  /** Sends messages of this many new persons to every topic. */
  async send(persons: number): Promise<void> {
    const { gateway, source, pushTokenKeys } = this;
    if (!gateway) throw new Error('no gateway was started');
    for (const end = this.sent + persons; this.sent < end; this.sent += atOnce)
      await Promise.all(
        Array.from({ length: atOnce }, (_, i) =>
          sendOfEach({ gateway, source, pushTokenKeys }, `user-${this.sent + i}`),
        ),
      );
  }

  /** Sets the groups' offsets to a time, milliseconds since 1970. The consumers must be stopped. */
  async setBack(since: number): Promise<void> {
    const admin = this.admin.admin();
    await admin.connect();
    const { groups } = await admin.listGroups();
    for (const { groupId } of groups) {
      if (!consumerApps.some((app) => app === groupId)) continue;
      for (const { topic } of await admin.fetchOffsets({ groupId }))
        await admin.setOffsets({ groupId, topic, partitions: await admin.fetchTopicOffsetsByTimestamp(topic, since) });
    }
    await admin.disconnect();
  }

  /** Reads the logs of the gateway and the consumers as one text. */
  async logs(): Promise<string> {
    const logs = await Promise.all(consumerApps.map((app) => readFile(join(this.folder, `${app}.log`), 'utf8')));
    return [this.gateway?.output() ?? '', ...logs].join('');
  }

  /** Log lines about rights that ClickHouse or Kafka refused an app. */
  async refusals(): Promise<string[]> {
    return (await this.logs()).match(/^.*(?:AUTHORIZATION|ACCESS_DENIED|Not authorized).*$/gim) ?? [];
  }

  async stop(): Promise<void> {
    await this.gateway?.stop('SIGKILL');
    await Promise.all(this.consumers.splice(0).map((consumer) => consumer.stop(0)));
    await Promise.all([this.kafka.stop(), this.servers.stop()]);
    await rm(this.folder, { recursive: true, force: true, maxRetries: 10 });
  }

  private userEnvironment(user: string): Record<string, string> {
    const { servers } = this;
    const shards = servers.names.filter((name) => !this.shardsLeftOut.includes(name));
    return {
      ...signedIn(user, this.kafkaPort),
      TOPIC_PARTITIONS: '4',
      CLICKHOUSE_URL: servers.url('a'),
      ...this.settings,
      ...(this.isSharded && { CLICKHOUSE_SHARDS: servers.formatSetting(shards), CLICKHOUSE_SHARDS_CLUSTER: 'shards' }),
      ...(this.drained !== '' && shards.includes(this.drained) && { CLICKHOUSE_SHARDS_DRAINED: this.drained }),
    };
  }
}
