import { setTimeout as sleep } from 'node:timers/promises';
import { createKafka } from '@sluice/kafka';
import { ensureSourcesTopic, SourceRegistry, SourceWriter } from '@sluice/sources';
import { isOk, ServerProcess, startApp } from '@sluice/testing';
import { type RequestTarget } from './http-generator.js';

const partitions = '6';

/** The built gateway as a process that can be killed and restarted with the same port and folder. */
export class GatewayServer {
  private constructor(
    private server: ServerProcess,
    readonly target: RequestTarget,
    readonly managementUrl: string,
  ) {}

  /** Starts a gateway with a new source on a running Kafka. */
  static async start(
    brokers: readonly string[],
    folder: string,
    settings: Record<string, string> = {},
  ): Promise<GatewayServer> {
    const source = await createSource(brokers);
    const env = { KAFKA_BROKERS: brokers.join(','), TOPIC_PARTITIONS: partitions, ...settings };
    const { server, url, managementUrl } = await startApp('gateway', env, { folder });
    return new GatewayServer(server, { url, ...source }, managementUrl);
  }

  async kill(): Promise<void> {
    await this.server.stop(0);
  }

  async restart(): Promise<void> {
    this.server = await ServerProcess.spawn(this.server.spec);
    await this.server.untilReady(60_000);
  }

  stop(): Promise<void> {
    return this.server.stop(20_000);
  }

  isReady(): Promise<boolean> {
    return isOk(`${this.target.url}/health/ready`);
  }

  /** The value of a metric without labels. */
  async metric(name: string): Promise<number> {
    const text = await (await fetch(`${this.managementUrl}/metrics`)).text();
    return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1] ?? NaN);
  }

  /** Resolves when the spool is empty. */
  async untilDrained(timeoutMs: number): Promise<void> {
    const deadline = Date.now() + timeoutMs;
    while ((await this.metric('sluice_spool_messages').catch(() => NaN)) !== 0) {
      if (Date.now() > deadline) throw new Error('the spool was not emptied in time');
      await sleep(200);
    }
  }
}

/** Creates a source, and the topic of sources if it does not exist. */
export async function createSource(brokers: readonly string[]) {
  const config = { KAFKA_BROKERS: [...brokers], TOPIC_PARTITIONS: Number(partitions), TOPIC_REPLICATION_FACTOR: 1 };
  const kafka = createKafka(config, 'faults');
  await ensureSourcesTopic(kafka, config);
  const writer = new SourceWriter(kafka, new SourceRegistry());
  const { source, apiKey } = await writer.create({ name: 'faults', type: 'tracking-api' });
  return { sourceIdentifier: source.sourceIdentifier, apiKey };
}
