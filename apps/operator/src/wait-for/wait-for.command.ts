import { Module } from '@nestjs/common';
import { kafkaVariables, readLag } from '@sluice/kafka';
import { Command, Option } from 'nest-commander';
import { destinations, OperationError, withKafka } from '@sluice/operations';
import { Connection } from '../connection/connection.js';
import { ConnectionModule } from '../connection/connection.module.js';
import { Output, type OutputOptions, PrintingCommand, say } from '../output.js';
import { parseSeconds } from '../period.js';
import { parseMetricsAddress } from '../status/metrics-urls.js';
import { askProcesses } from './processes.js';
import { listConsumerReasons, listGatewayReasons, areConsumersNewer, describeSilent } from './reasons.js';
import { waitUntilClear } from './until-clear.js';

/** Time to wait for a silent process: it may be broken, and its replacement may wait for this process. */
const silenceTimeoutMs = 30_000;
const lagLimitMs = 15_000;
/** Clocks of gateways, which date the messages, may differ from ours by so much. */
const clockSlackMs = 5_000;

interface WaitOptions extends OutputOptions {
  gateway?: string[];
  consumer?: string[];
  forAtMost?: number;
}

@Command({
  name: 'wait-for',
  arguments: '<consumers|gateways>',
  description: 'Wait until this version can start: gateways for consumers, or consumers for gateways after a rollback',
})
export class WaitForCommand extends PrintingCommand {
  constructor(
    private readonly connection: Connection,
    private readonly output: Output,
  ) {
    super();
  }

  @Option({ flags: '--gateway <urls...>', description: 'Addresses of /metrics; a name may stand for many gateways' })
  gateway(url: string, earlierUrls: string[] = []): string[] {
    return [...earlierUrls, parseMetricsAddress('--gateway', url)];
  }

  @Option({ flags: '--consumer <urls...>', description: 'Addresses of /metrics; a name may stand for many processes' })
  consumer(url: string, earlierUrls: string[] = []): string[] {
    return [...earlierUrls, parseMetricsAddress('--consumer', url)];
  }

  @Option({
    flags: '--for-at-most <seconds>',
    description: 'Exit with 1 after this time; by default it never gives up',
  })
  forAtMost(text: string): number {
    return parseSeconds('--for-at-most', text);
  }

  async run([processKind = '']: string[], options: WaitOptions): Promise<void> {
    const { gateway = [], consumer = [], forAtMost = Infinity, ...output } = options;
    if (processKind === 'consumers')
      await waitUntilClear((waited) => lookAtConsumers(consumer, waited), say, forAtMost * 1_000);
    else if (processKind === 'gateways') await this.waitForGateways(gateway, consumer, say, forAtMost * 1_000);
    else throw new OperationError(`wait-for knows consumers and gateways, not ${processKind}`);
    this.output.print({ waitedFor: processKind }, output, () => `${processKind}: nothing to wait for`);
  }

  private async waitForGateways(gateways: string[], consumers: string[], say: (text: string) => void, maxMs: number) {
    await waitUntilClear((waited) => lookAtGateways(gateways, consumers, waited), say, maxMs);
    if (!areConsumersNewer(await askProcesses(consumers))) return;
    // From here on no gateway writes what this version refuses. The running consumers store what came before.
    const since = Date.now() + clockSlackMs;
    await waitUntilClear(() => this.olderThan(since), say, maxMs);
  }

  /** Topics with messages that came before this time and are not stored. */
  private async olderThan(since: number): Promise<string[]> {
    const config = this.connection.read(kafkaVariables);
    const lags = await withKafka(config, lagLimitMs, (kafka) => readLag(kafka, destinations));
    return lags
      .filter(({ oldestAt = Infinity }) => oldestAt < since)
      .map(({ topic, messages }) => `${messages} messages of ${topic} are not stored yet`);
  }
}

async function lookAtConsumers(urls: readonly string[], waitedMs: number): Promise<string[]> {
  const consumers = await askProcesses(urls);
  return [...listConsumerReasons(consumers), ...(waitedMs < silenceTimeoutMs ? describeSilent(consumers) : [])];
}

async function lookAtGateways(urls: readonly string[], consumerUrls: readonly string[], waitedMs: number) {
  const [gateways, consumers] = await Promise.all([askProcesses(urls), askProcesses(consumerUrls)]);
  return [...listGatewayReasons(gateways, consumers), ...(waitedMs < silenceTimeoutMs ? describeSilent(gateways) : [])];
}

@Module({ imports: [ConnectionModule], providers: [WaitForCommand] })
export class WaitForModule {}
