import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type RunningClickHouse, type RunningKafka, startClickHouse, startKafka } from '@sluice/testing';
import { type ConsumerOptions } from './consumer-process.js';
import { EventsLedger } from './events-ledger.js';
import { ResetProxy } from './reset-proxy.js';

/** An environment for consumers: a broker, a ClickHouse behind a proxy, and an empty table of events. */
export class TestBed {
  private constructor(
    private readonly kafka: RunningKafka,
    private readonly clickhouse: RunningClickHouse,
    readonly proxy: ResetProxy,
    /** Reads ClickHouse directly, not through the proxy. */
    readonly ledger: EventsLedger,
    readonly options: ConsumerOptions,
  ) {}

  /** Starts the servers. `settings` are environment variables of the consumers. */
  static async start(settings: Record<string, string> = {}): Promise<TestBed> {
    const folder = await mkdtemp(join(tmpdir(), 'sluice-bed-'));
    const kafka = await startKafka({ dataDir: join(folder, 'kafka') });
    const clickhouse = await startClickHouse({ dataDir: join(folder, 'clickhouse') });
    const proxy = await ResetProxy.start(Number(new URL(clickhouse.url).port));
    const ledger = new EventsLedger(clickhouse.url, 'default');
    await ledger.prepare();
    const { brokers } = kafka;
    const options = { brokers, clickhouseUrl: proxy.url, database: ledger.database, folder, settings };
    return new TestBed(kafka, clickhouse, proxy, ledger, options);
  }

  get brokers(): string[] {
    return this.kafka.brokers;
  }

  /** Stops the servers. Stop their users first. */
  async stop(): Promise<void> {
    await this.ledger.close();
    await this.proxy.stop();
    await Promise.all([this.kafka.stop(), this.clickhouse.stop()]);
    await rm(this.options.folder, { recursive: true, force: true, maxRetries: 10 });
  }
}
