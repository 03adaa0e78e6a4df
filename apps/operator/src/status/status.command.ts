import { Module } from '@nestjs/common';
import { clickhouseVariables } from '@sluice/clickhouse';
import { kafkaVariables } from '@sluice/kafka';
import { OperationError, readStatus } from '@sluice/operations';
import { Command, Option } from 'nest-commander';
import { metricsUrlVariables } from '../config.js';
import { Connection } from '../connection/connection.js';
import { ConnectionModule } from '../connection/connection.module.js';
import { Output, type OutputOptions, PrintingCommand } from '../output.js';
import { parseGatewayAddress, splitUrls, parseMetricsAddress } from './metrics-urls.js';
import { listParts, formatStatus } from './status-text.js';

const fallbackLateAfter = 60;

interface StatusOptions extends OutputOptions {
  gateway?: string[];
  consumer?: string[];
  lateAfter?: number;
  check?: boolean;
}

const variables = {
  ...kafkaVariables,
  ...clickhouseVariables,
  ...metricsUrlVariables,
};

@Command({ name: 'status', description: 'Show whether all is well: lag, lateness, dead letters, spools, migrations' })
export class StatusCommand extends PrintingCommand {
  constructor(
    private readonly connection: Connection,
    private readonly output: Output,
  ) {
    super();
  }

  @Option({ flags: '--gateway <urls...>', description: 'Addresses of the gateways’ /metrics: their spools, refusals' })
  gateway(url: string, earlierUrls: string[] = []): string[] {
    return [...earlierUrls, parseGatewayAddress(url)];
  }

  @Option({
    flags: '--consumer <urls...>',
    description: 'Addresses of the consumers’ /metrics, which name stuck partitions',
  })
  consumer(url: string, earlierUrls: string[] = []): string[] {
    return [...earlierUrls, parseMetricsAddress('--consumer', url)];
  }

  @Option({
    flags: '--late-after <seconds>',
    description: `Data that waits longer is late; default ${fallbackLateAfter}`,
  })
  lateAfter(text: string): number {
    const seconds = Number(text);
    if (!(seconds > 0)) throw new OperationError('--late-after must be a number of seconds above 0');
    return seconds;
  }

  @Option({ flags: '--check', description: 'Exit with 1 when anything is not ok, for scripts' })
  check(): boolean {
    return true;
  }

  async run(
    _: string[],
    { gateway, consumer, lateAfter = fallbackLateAfter, check = false, ...output }: StatusOptions,
  ) {
    const { GATEWAY_METRICS_URLS, CONSUMER_METRICS_URLS, ...config } = this.connection.read(variables);
    const gateways = gateway ?? splitUrls(GATEWAY_METRICS_URLS);
    const consumers = consumer ?? splitUrls(CONSUMER_METRICS_URLS);
    const report = await readStatus({ config, gateways, consumers, lateAfterSeconds: lateAfter });
    this.output.print(report, output, formatStatus);
    const failingParts = listParts(report).filter(([, { verdict }]) => verdict !== 'ok');
    if (check && failingParts.length > 0) {
      throw new OperationError(
        `not all is well: ${failingParts.map(([name, { verdict }]) => `${name} ${verdict}`).join(', ')}`,
      );
    }
  }
}

@Module({ imports: [ConnectionModule], providers: [StatusCommand] })
export class StatusModule {}
