import { join } from 'node:path';
import { createClient, type ClickHouseClient, ClickHouseLogLevel } from '@clickhouse/client';
import { type ClickHouseUser, freePort, prepareClickHouse, ServerProcess, signalGroup } from '@sluice/testing';

const names = ['a', 'b', 'c', 'd'];

interface ShardServer {
  readonly port: number;
  readonly tcpPort: number;
  process: ServerProcess;
}

/** Embedded servers as shards of the cluster `shards`. Each can be killed and started again; more can be added. */
export class ShardServers {
  private readonly servers: ShardServer[] = [];

  /** @param users in addition to `default`, on every server */
  constructor(
    private readonly folder: string,
    private readonly users?: readonly ClickHouseUser[],
  ) {}

  get names(): string[] {
    return names.slice(0, this.servers.length);
  }

  url(name: string): string {
    return `http://127.0.0.1:${this.server(name).port}`;
  }

  /** Address at which other servers read from this one. */
  tcpAddress(name: string): string {
    return `127.0.0.1:${this.server(name).tcpPort}`;
  }

  /** The value of CLICKHOUSE_SHARDS. */
  get setting(): string {
    return this.formatSetting(this.names);
  }

  formatSetting(names: readonly string[]): string {
    return names.map((name) => `${name}=${this.url(name)}`).join(',');
  }

  /** Starts one more server. The others know it after `announceAll`. */
  async add(): Promise<string> {
    const [port, tcpPort] = [await freePort(), await freePort()];
    const ports = [...this.servers.map((server) => server.tcpPort), tcpPort];
    const name = names[this.servers.length] ?? '';
    const { server } = await prepareClickHouse({ ...this.options(name, port, tcpPort), clusters: { shards: ports } });
    const process = await ServerProcess.spawn(server);
    this.servers.push({ port, tcpPort, process });
    await process.untilReady(60_000);
    return name;
  }

  /** Announces all shards to all servers. The embedded ones read their configuration at the start only. */
  async announceAll(): Promise<void> {
    const clusters = { shards: this.servers.map(({ tcpPort }) => tcpPort) };
    for (const name of this.names) {
      const { port, tcpPort } = this.server(name);
      await prepareClickHouse({ ...this.options(name, port, tcpPort), clusters });
      await this.server(name).process.stop();
      await this.restart(name);
    }
  }

  async kill(name: string): Promise<void> {
    await this.server(name).process.stop(0);
  }

  /** Makes the server answer nothing, while its connections stay open. */
  freeze(name: string): void {
    signalGroup(this.server(name).process.pid, 'SIGSTOP');
  }

  async restart(name: string): Promise<void> {
    const server = this.server(name);
    server.process = await ServerProcess.spawn(server.process.spec);
    await server.process.untilReady(60_000);
  }

  async stop(): Promise<void> {
    await Promise.all(this.servers.map(({ process }) => process.stop()));
  }

  client(name: string, database = 'sluice'): ClickHouseClient {
    return createClient({ url: this.url(name), database, log: { level: ClickHouseLogLevel.OFF } });
  }

  async command(name: string, query: string, database = 'default'): Promise<void> {
    const client = this.client(name, database);
    try {
      await client.command({ query });
    } finally {
      await client.close();
    }
  }

  async select<T>(name: string, query: string, database = 'sluice'): Promise<T[]> {
    const client = this.client(name, database);
    try {
      return await (await client.query({ query, format: 'JSONEachRow' })).json<T>();
    } finally {
      await client.close();
    }
  }

  private options(name: string, port: number, tcpPort: number) {
    const { users } = this;
    return { dataDir: join(this.folder, name), port, tcpPort, memoryMb: 1_500, ...(users && { users }) };
  }

  private server(name: string): ShardServer {
    const server = this.servers[names.indexOf(name)];
    if (!server) throw new RangeError(`there is no shard ${name}`);
    return server;
  }
}
