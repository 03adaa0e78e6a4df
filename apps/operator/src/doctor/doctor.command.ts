import { Module } from '@nestjs/common';
import { clickhouseVariables, tableVariables } from '@sluice/clickhouse';
import { kafkaVariables } from '@sluice/kafka';
import { OperationError, type RightsApp, rightsApps, runDoctor } from '@sluice/operations';
import { Command, Option } from 'nest-commander';
import { Connection } from '../connection/connection.js';
import { ConnectionModule } from '../connection/connection.module.js';
import { Output, type OutputOptions, PrintingCommand } from '../output.js';
import { metricsUrlVariables } from '../config.js';
import { parseGatewayAddress, parseMetricsAddress, splitUrls } from '../status/metrics-urls.js';
import { formatDoctor } from './doctor-text.js';

const fallbackOutageHours = 72;

interface DoctorOptions extends OutputOptions {
  gateway?: string[];
  consumer?: string[];
  app?: RightsApp;
  outageHours?: number;
  spool?: string;
}

const variables = { ...kafkaVariables, ...clickhouseVariables, ...tableVariables, ...metricsUrlVariables };

@Command({ name: 'doctor', description: 'Test on this cluster what exactly once rests on; exits with 1 if it fails' })
export class DoctorCommand extends PrintingCommand {
  constructor(
    private readonly connection: Connection,
    private readonly output: Output,
  ) {
    super();
  }

  @Option({ flags: '--gateway <urls...>', description: 'Addresses of the gateways’ /metrics: their disks and clocks' })
  gateway(url: string, earlierUrls: string[] = []): string[] {
    return [...earlierUrls, parseGatewayAddress(url)];
  }

  @Option({ flags: '--consumer <urls...>', description: 'Addresses of the consumers’ /metrics: their clocks' })
  consumer(url: string, earlierUrls: string[] = []): string[] {
    return [...earlierUrls, parseMetricsAddress('--consumer', url)];
  }

  @Option({ flags: '--app <app>', description: `App whose credentials these are: ${rightsApps.join(', ')}` })
  app(name: string): RightsApp {
    const app = rightsApps.find((rightsApp) => rightsApp === name);
    if (!app) throw new OperationError(`--app must be one of ${rightsApps.join(', ')}`);
    return app;
  }

  @Option({
    flags: '--outage-hours <hours>',
    description: `Longest outage of ClickHouse that must lose nothing; default ${fallbackOutageHours}`,
  })
  outageHours(text: string): number {
    const hours = Number(text);
    if (!(hours > 0)) throw new OperationError('--outage-hours must be a number above 0');
    return hours;
  }

  @Option({ flags: '--spool <folder>', description: 'Folder of a gateway’s spool on this machine' })
  spool(folder: string): string {
    return folder;
  }

  async run(
    _: string[],
    { gateway, consumer, app = 'operator', outageHours = fallbackOutageHours, spool, ...output }: DoctorOptions,
  ): Promise<void> {
    const { GATEWAY_METRICS_URLS, CONSUMER_METRICS_URLS, ...config } = this.connection.read(variables);
    const ending = new AbortController();
    const end = (): void => ending.abort();
    process.once('SIGINT', end).once('SIGTERM', end);
    try {
      const report = await runDoctor(
        {
          config,
          gateways: gateway ?? splitUrls(GATEWAY_METRICS_URLS),
          consumers: consumer ?? splitUrls(CONSUMER_METRICS_URLS),
          app,
          outageHours,
          spoolFolder: spool,
        },
        ending.signal,
      );
      this.output.print(report, output, formatDoctor);
      const failing = report.checks.filter(({ verdict }) => verdict === 'fails' || verdict === 'unknown');
      if (failing.length > 0)
        throw new OperationError(`not well: ${failing.map(({ check, verdict }) => `${check} ${verdict}`).join(', ')}`);
      if (ending.signal.aborted) throw new OperationError('ended before all was tested');
    } finally {
      process.off('SIGINT', end).off('SIGTERM', end);
    }
  }
}

@Module({ imports: [ConnectionModule], providers: [DoctorCommand] })
export class DoctorModule {}
