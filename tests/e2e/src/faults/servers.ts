import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort, freePorts, prepareClickHouse, prepareKafka, ServerProcess } from '@sluice/testing';

/** Three brokers and a ClickHouse; each can be killed, paused and restarted. */
export class FaultServers {
  private constructor(
    readonly folder: string,
    readonly brokers: readonly string[],
    readonly clickhousePort: number,
    private readonly kafka: ServerProcess[],
    private clickhouse: ServerProcess,
  ) {}

  /** Starts the servers. `prepare` is called first, with the empty folder. */
  static async start(prepare: (folder: string) => Promise<void> = () => Promise.resolve()): Promise<FaultServers> {
    const folder = await mkdtemp(join(tmpdir(), 'sluice-faults-'));
    await prepare(folder);
    const { brokers, servers } = await prepareKafka({ dataDir: join(folder, 'kafka'), ports: await freePorts(3) });
    const kafka = await Promise.all(servers.map((spec) => ServerProcess.spawn(spec)));
    const port = await freePort();
    const { server } = await prepareClickHouse({ dataDir: join(folder, 'clickhouse'), port });
    const clickhouse = await ServerProcess.spawn(server);
    await Promise.all([...kafka, clickhouse].map((serverProcess) => serverProcess.untilReady(120_000)));
    return new FaultServers(folder, brokers, port, kafka, clickhouse);
  }

  broker(index: number): ServerProcess {
    const broker = this.kafka[index];
    if (!broker) throw new RangeError(`there is no broker ${index}`);
    return broker;
  }

  async restartBroker(index: number): Promise<void> {
    const broker = await ServerProcess.spawn(this.broker(index).spec);
    this.kafka[index] = broker;
    await broker.untilReady(120_000);
  }

  get clickhouseProcess(): ServerProcess {
    return this.clickhouse;
  }

  async restartClickHouse(): Promise<void> {
    this.clickhouse = await ServerProcess.spawn(this.clickhouse.spec);
    await this.clickhouse.untilReady(60_000);
  }

  /** Stops the servers. `release` is called after that. Then the folder is removed, unless `keepsFolder`. */
  async stop(release: () => void = () => undefined, keepsFolder = false): Promise<void> {
    await Promise.all([...this.kafka, this.clickhouse].map((serverProcess) => serverProcess.stop()));
    release();
    if (!keepsFolder) await rm(this.folder, { recursive: true, force: true, maxRetries: 10 });
  }
}
