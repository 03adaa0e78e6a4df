import { Module } from '@nestjs/common';
import { clickhouseVariables } from '@sluice/clickhouse';
import { kafkaVariables } from '@sluice/kafka';
import { OperationError, readStatus } from '@sluice/operations';
import { Command, Option } from 'nest-commander';
import { metricsUrlVariables } from '../config.js';
import { Connection } from '../connection/connection.js';
import { ConnectionModule } from '../connection/connection.module.js';
import { Output, type OutputOptions, PrintingCommand } from '../output.js';
import { gatewayAddress, listed, metricsAddress } from './metrics-urls.js';
import { partsOfReport, statusText } from './status-text.js';

const usualLateAfter = 60;

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
  gateway(url: string, others: string[] = []): string[] {
    return [...others, gatewayAddress(url)];
  }

  @Option({
    flags: '--consumer <urls...>',
    description: 'Addresses of the consumers’ /metrics, which name stuck partitions',
  })
  consumer(url: string, others: string[] = []): string[] {
    return [...others, metricsAddress('--consumer', url)];
  }

  @Option({ flags: '--late-after <seconds>', description: `Data that waits longer is late; default ${usualLateAfter}` })
  lateAfter(text: string): number {
    const seconds = Number(text);
    if (!(seconds > 0)) throw new OperationError('--late-after must be a number of seconds above 0');
    return seconds;
  }

  @Option({ flags: '--check', description: 'Exit with 1 when anything is not ok, for scripts' })
  check(): boolean {
    return true;
  }

  async run(_: string[], { gateway, consumer, lateAfter = usualLateAfter, check = false, ...output }: StatusOptions) {
    const { GATEWAY_METRICS_URLS, CONSUMER_METRICS_URLS, ...config } = this.connection.read(variables);
    const gateways = gateway ?? listed(GATEWAY_METRICS_URLS);
    const consumers = consumer ?? listed(CONSUMER_METRICS_URLS);
    const report = await readStatus({ config, gateways, consumers, lateAfterSeconds: lateAfter });
    this.output.print(report, output, statusText);
    const bad = partsOfReport(report).filter(([, { verdict }]) => verdict !== 'ok');
    if (check && bad.length > 0) {
      throw new OperationError(`not all is well: ${bad.map(([name, { verdict }]) => `${name} ${verdict}`).join(', ')}`);
    }
  }
}

@Module({ imports: [ConnectionModule], providers: [StatusCommand] })
export class StatusModule {}
