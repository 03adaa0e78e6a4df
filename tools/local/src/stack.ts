import { prepareClickHouse, prepareKafka, type ServerSpec } from '@sluice/testing';
import { join } from 'node:path';
import { type StackApp, toServerSpec, managementUrl } from './app.js';
import { ensureDemoSource } from './demo-source.js';
import { ExampleShop } from './example-shop.js';
import { type LocalEntry, removeLocalFile, writeLocalFile } from './local-file.js';
import { logFile } from './log-files.js';
import { Operator } from './operator.js';
import { choosePorts, type StackPorts } from './ports.js';
import { ProcessRecord, stopOrphans } from './process-record.js';
import { type Programs } from './programs.js';
import { ensureConsoleSecret } from './console-secret.js';
import { ensurePrivacyKey } from './privacy-key.js';
import { ensurePushTokenKeys } from './push-token-keys.js';
import { type StackSettings } from './settings.js';
import { SupervisedServer } from './supervised-server.js';
import { type Terminal } from './terminal.js';

const database = 'sluice';
const appNames = ['gateway', 'tracking', 'catalog', 'push-interaction', 'console'] as const;
/** Exceeds the services' own limit for a graceful stop. */
const graceMs = 22_000;

type Connection = Readonly<Record<'KAFKA_BROKERS' | 'CLICKHOUSE_URL' | 'CLICKHOUSE_DATABASE', string>>;

/** Starts the processes of the local stack in order, keeps them running and stops them in order. */
export class StackSupervisor {
  private readonly servers = new Map<string, SupervisedServer>();
  private readonly pids = new Map<string, number>();
  private readonly stopping = new AbortController();
  private readonly record: ProcessRecord;
  private pushTokenKeys = '';
  private privacyKey = '';
  private starting: Promise<LocalEntry> | undefined;
  private describe: (() => LocalEntry) | undefined;
  private shop: ExampleShop | undefined;
  private operator: Operator | undefined;
  /** Resolves when topics and tables are there. */
  private readonly migrated = Promise.withResolvers<undefined>();

  constructor(
    private readonly settings: StackSettings,
    private readonly programs: Programs,
    private readonly terminal: Terminal,
  ) {
    this.record = new ProcessRecord(settings.dataDir);
  }

  /** Resolves when everything is ready and local.json is written. Rejects when that fails or `stop` comes first. */
  start(): Promise<LocalEntry> {
    this.starting ??= this.startAll();
    return this.starting;
  }

  /** Creates a one-time link to the console, for the terminal only, as soon as `start` has created the topics. */
  async createConsoleLink(): Promise<string> {
    await this.migrated.promise;
    const { link } = JSON.parse(
      (await this.operator?.run(
        'console',
        'invite',
        'admin',
        '--role',
        'admin',
        '--payloads',
        '--privacy',
        '--json',
      )) ?? '{}',
    ) as { link: string };
    return link;
  }

  /** Runs the doctor once. It must not delay anything, so nobody waits for it; a stop ends it. */
  async diagnose(): Promise<void> {
    try {
      const { checks } = JSON.parse((await this.operator?.run('doctor', '--json')) ?? '{"checks":[]}') as {
        checks: { check: string; verdict: string }[];
      };
      const remarks = checks.filter(({ verdict }) => verdict !== 'ok').map(({ check }) => check);
      const look = remarks.length === 0 ? '' : `; npm run -s operator -- doctor explains ${remarks.join(', ')}`;
      this.terminal.line(`doctor: ${checks.length} checks, none failed${look}`);
    } catch (error) {
      if (!this.isStopping) this.terminal.line(`doctor: ${(error as Error).message}`);
    }
  }

  get isStopping(): boolean {
    return this.stopping.signal.aborted;
  }

  /** Stops the gateway first, so that everything it accepted is in Kafka, then the consumers, then their servers. */
  async stop(): Promise<void> {
    this.stopping.abort();
    const { dataDir } = this.settings;
    removeLocalFile(dataDir);
    for (const names of [
      ['gateway', 'console'],
      ['tracking', 'catalog', 'push-interaction'],
      ['clickhouse', 'kafka'],
    ]) {
      await this.stopServers(names);
    }
    // A start in progress can have spawned more servers since: wait for its end, then stop them too.
    await this.starting?.catch(() => undefined);
    await this.stopServers([...this.servers.keys()]);
    this.shop?.close();
    removeLocalFile(dataDir);
    this.record.clear();
  }

  private async startAll(): Promise<LocalEntry> {
    await this.stopOrphans();
    const ports = await choosePorts(this.settings, appNames.length);
    this.pushTokenKeys = this.settings.pushTokenKeys ?? ensurePushTokenKeys(this.settings.dataDir);
    this.privacyKey = this.settings.privacyKey ?? ensurePrivacyKey(this.settings.dataDir);
    this.terminal.line('starting Kafka and ClickHouse');
    const [brokers, clickhouseUrl] = await Promise.all([this.startKafka(ports), this.startClickHouse(ports)]);
    const connection = {
      KAFKA_BROKERS: brokers.join(','),
      CLICKHOUSE_URL: clickhouseUrl,
      CLICKHOUSE_DATABASE: database,
    };
    const env = { ...connection, CONSOLE_URL: `http://localhost:${ports.console}` };
    const operator = (this.operator = new Operator(this.programs.operator, env, this.stopping.signal));
    this.terminal.line('creating topics and tables');
    await operator.run('migrate');
    this.migrated.resolve(undefined);
    this.terminal.line(`starting ${appNames.join(', ')}`);

    const [source] = await Promise.all([
      ensureDemoSource(this.settings.dataDir, operator),
      ...this.listApps(ports, connection).map((app) => this.startServer(toServerSpec(app))),
    ]);
    const shop = (this.shop = await ExampleShop.open(this.settings.examplePort, () => this.describe?.()));
    this.describe = () => this.makeEntry(ports, connection, { source, shop: { url: shop.url } });
    const entry = this.describe();
    writeLocalFile(this.settings.dataDir, entry);
    return entry;
  }

  private async stopOrphans(): Promise<void> {
    removeLocalFile(this.settings.dataDir);
    const orphans = await this.record.orphans();
    if (orphans.length === 0) return;
    this.terminal.line(`stopping ${orphans.length} processes that a killed supervisor left behind`);
    await stopOrphans(orphans);
  }

  private async startKafka({ kafka: port }: StackPorts): Promise<readonly string[]> {
    const { dataDir, kafkaBrokers } = this.settings;
    if (kafkaBrokers) return kafkaBrokers;
    const { brokers, servers } = await prepareKafka({
      dataDir: join(dataDir, 'kafka'),
      ports: [port],
      logFile: () => logFile(dataDir, 'kafka'),
      onProgress: (step) => this.terminal.line(step),
      signal: this.stopping.signal,
    });
    await Promise.all(servers.map((server) => this.startServer(server)));
    return brokers;
  }

  private async startClickHouse({ clickhouse: port }: StackPorts): Promise<string> {
    const { dataDir, clickhouseUrl } = this.settings;
    if (clickhouseUrl) return clickhouseUrl;
    const { url, server } = await prepareClickHouse({
      dataDir: join(dataDir, 'clickhouse'),
      port,
      logFile: logFile(dataDir, 'clickhouse'),
    });
    await this.startServer(server);
    return url;
  }

  private listApps(ports: StackPorts, connection: Connection): StackApp[] {
    const { dataDir } = this.settings;
    const gateway = {
      GATEWAY_HOST: '127.0.0.1',
      GATEWAY_PORT: String(ports.gateway),
      GATEWAY_DATA_DIR: join(dataDir, 'gateway'),
      PUSH_TOKEN_KEYS: this.pushTokenKeys,
    };
    const envByApp: Partial<Record<StackApp['name'], Record<string, string>>> = {
      gateway,
      console: this.makeConsoleEnv(ports),
    };
    return appNames.map((name, index) => ({
      name,
      program: this.programs[name],
      managementPort: ports.management[index] ?? 0,
      env: { ...connection, PRIVACY_KEY: this.privacyKey, ...envByApp[name] },
      logFile: logFile(dataDir, name),
    }));
  }

  private makeConsoleEnv(ports: StackPorts): Record<string, string> {
    const [gateway = 0, ...consumers] = ports.management.map((port) => `${managementUrl(port)}/metrics`);
    return {
      CONSOLE_HOST: '127.0.0.1',
      CONSOLE_PORT: String(ports.console),
      CONSOLE_URL: `http://localhost:${ports.console}`,
      CONSOLE_SECRET: ensureConsoleSecret(this.settings.dataDir),
      GATEWAY_URL: `http://127.0.0.1:${ports.gateway}`,
      GATEWAY_METRICS_URLS: String(gateway),
      CONSUMER_METRICS_URLS: consumers.slice(0, 3).join(','),
    };
  }

  private async startServer(spec: ServerSpec): Promise<void> {
    const server = new SupervisedServer(spec, this.stopping.signal, {
      spawned: (name, pid) => this.spawned(name, pid),
      died: ({ name, logFile: log }, ending, restartInMs) =>
        this.terminal.line(`${name} died (${ending}), restarting in ${restartInMs} ms; log: ${log}`),
      recovered: ({ name }) => this.terminal.line(`${name} is ready again`),
    });
    this.servers.set(spec.name, server);
    await server.start();
    this.terminal.line(`${spec.name} is ready`);
  }

  private async stopServers(names: readonly string[]): Promise<void> {
    const servers = names.flatMap((name) => this.servers.get(name) ?? []);
    await Promise.all(servers.map((server) => server.stop(graceMs)));
  }

  private async spawned(name: string, pid: number): Promise<void> {
    this.pids.set(name, pid);
    await this.record.put(name, pid);
    if (this.describe && !this.isStopping) writeLocalFile(this.settings.dataDir, this.describe());
  }

  private makeEntry(
    ports: StackPorts,
    connection: Connection,
    sourceAndShop: Pick<LocalEntry, 'source' | 'shop'>,
  ): LocalEntry {
    const [gateway = 0, tracking = 0, catalog = 0, pushInteraction = 0, consolePort = 0] = ports.management;
    const findPid = (name: string): number => this.pids.get(name) ?? 0;
    const consumerEntry = (name: string, port: number) => ({ url: managementUrl(port), pid: findPid(name) });
    return {
      pid: process.pid,
      gateway: {
        url: `http://127.0.0.1:${ports.gateway}`,
        managementUrl: managementUrl(gateway),
        pid: findPid('gateway'),
      },
      console: {
        url: `http://localhost:${ports.console}`,
        managementUrl: managementUrl(consolePort),
        pid: findPid('console'),
      },
      tracking: consumerEntry('tracking', tracking),
      catalog: consumerEntry('catalog', catalog),
      pushInteraction: consumerEntry('push-interaction', pushInteraction),
      kafka: { brokers: connection.KAFKA_BROKERS.split(','), pid: this.pids.get('kafka') ?? null },
      clickhouse: { url: connection.CLICKHOUSE_URL, database, pid: this.pids.get('clickhouse') ?? null },
      ...sourceAndShop,
      pushTokenKeys: this.pushTokenKeys,
      privacyKey: this.privacyKey,
    };
  }
}
