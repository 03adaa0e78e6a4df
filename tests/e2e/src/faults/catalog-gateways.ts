import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type ClickHouseClient, createClient } from '@clickhouse/client';
import { type RunningApp, ServerProcess, startApp } from '@sluice/testing';
import { type ConsumerOptions, forgetOwner, startConsumer } from './consumer-process.js';
import { createSource } from './gateway-server.js';
import { type RequestTarget } from './http-generator.js';

const partitions = '6';

/** Moves the clock of a process. Node loads it before the program. */
const shiftedClock = `
const offset = Number(process.env.CLOCK_OFFSET_MS);
const SystemDate = Date;
globalThis.Date = class Date extends SystemDate {
  constructor(...parts) { if (parts.length > 0) super(...parts); else super(SystemDate.now() + offset); }
  static now() { return SystemDate.now() + offset; }
};`;

/** Gateways of one source with clocks of their own, and the consumer of catalogs with tables of its own. */
export class CatalogGateways {
  private readonly gateways: RunningApp[] = [];
  private readonly consumers: ServerProcess[] = [];

  private constructor(
    readonly options: ConsumerOptions,
    private readonly source: Omit<RequestTarget, 'url'>,
    private readonly client: ClickHouseClient,
    private readonly clock: string,
  ) {}

  static async start(brokers: readonly string[], clickhouseUrl: string): Promise<CatalogGateways> {
    const folder = await mkdtemp(join(tmpdir(), 'sluice-catalogs-'));
    const clock = join(folder, 'clock.mjs');
    await writeFile(clock, shiftedClock);
    const database = `catalogs_${randomUUID().replaceAll('-', '')}`;
    const client = createClient({ url: clickhouseUrl });
    await client.command({ query: `CREATE DATABASE ${database}` });
    await forgetOwner(brokers, 'catalog');
    const source = await createSource(brokers);
    return new CatalogGateways({ brokers, clickhouseUrl, database, folder }, source, client, clock);
  }

  get sourceIdentifier(): string {
    return this.source.sourceIdentifier;
  }

  /** Starts a gateway, by default of this checkout, whose clock is ahead by so many milliseconds. @returns its number */
  async startGateway(clockOffsetMs: number, checkout?: string): Promise<number> {
    const number = this.gateways.length;
    const settings = {
      KAFKA_BROKERS: this.options.brokers.join(','),
      TOPIC_PARTITIONS: partitions,
      CLOCK_OFFSET_MS: String(clockOffsetMs),
      LOG_LEVEL: 'error',
    };
    const app = await startApp('gateway', settings, {
      ...{ folder: this.options.folder, name: `gateway-${number}`, checkout },
      nodeArgs: ['--import', pathToFileURL(this.clock).href],
    });
    this.gateways.push(app);
    return number;
  }

  /** Kills a gateway and starts it again, with what is on its disk. */
  async restartGateway(number: number, whileDown: () => Promise<void>): Promise<void> {
    const gateway = this.requireGateway(number);
    await gateway.server.stop(0);
    await whileDown();
    const server = await ServerProcess.spawn(gateway.server.spec);
    this.gateways[number] = { ...gateway, server };
    await server.untilReady(60_000);
  }

  async startConsumer({
    crashPoint,
    checkout,
  }: { crashPoint?: string; checkout?: string } = {}): Promise<ServerProcess> {
    const options = { ...this.options, ...(checkout !== undefined && { checkout }) };
    const consumer = await startConsumer('catalog', options, crashPoint);
    this.consumers.push(consumer);
    return consumer;
  }

  /** Posts entities or deletions. @returns the status */
  async post(number: number, endpoint: string, body: unknown, key?: string): Promise<number> {
    const { sourceIdentifier, apiKey } = this.source;
    const url = `${this.requireGateway(number).url}/api/tracker/catalog/${sourceIdentifier}/${endpoint}`;
    const headers = {
      'content-type': 'application/json',
      authorization: `Bearer ${apiKey}`,
      ...(key !== undefined && { 'idempotency-key': key }),
    };
    const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
    await response.text();
    return response.status;
  }

  /** A metric of a gateway without labels. */
  async readMetric(number: number, name: string): Promise<number> {
    const text = await (await fetch(`${this.requireGateway(number).managementUrl}/metrics`)).text();
    return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1] ?? NaN);
  }

  async select<Row>(query: string): Promise<Row[]> {
    const { database } = this.options;
    const answer = await this.client.query({
      query: query.replaceAll('{database}', database),
      query_params: { source: this.source.sourceIdentifier },
      format: 'JSONEachRow',
    });
    return answer.json<Row>();
  }

  /** The price of each variant that there is. */
  async readPrices(): Promise<Map<string, number>> {
    const rows = await this.select<{ id: string; price: number }>(
      'SELECT variant_id AS id, price FROM {database}.current_product_variants WHERE source_id = {source:String}',
    );
    const prices = new Map(rows.map(({ id, price }) => [id, price]));
    if (prices.size !== rows.length) throw new Error('a variant is there twice');
    return prices;
  }

  async stop(): Promise<void> {
    const servers = [...this.consumers, ...this.gateways.map(({ server }) => server)];
    await Promise.all(servers.map((server) => server.stop(30_000)));
    await this.client.command({ query: `DROP DATABASE ${this.options.database}` });
    await this.client.close();
    await rm(this.options.folder, { recursive: true, force: true, maxRetries: 10 });
  }

  private requireGateway(number: number): RunningApp {
    const gateway = this.gateways[number];
    if (!gateway) throw new Error(`there is no gateway ${number}`);
    return gateway;
  }
}
