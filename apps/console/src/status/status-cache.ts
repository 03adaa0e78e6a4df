import { Injectable } from '@nestjs/common';
import { type Judged, type Servers, type StatusReport } from '@sluice/console-api';
import { readStatus } from '@sluice/operations';
import { version } from '@sluice/service';
import { type ConsoleConfig } from '../config.js';
import { ServerWatch } from '../servers/servers.js';

const freshMs = 3_000;
/** A report of this age is shown rather than waited for, when the next one takes long. */
const recentMs = 10_000;
/** An older report says nothing about now, and is not shown. */
const staleMs = 30_000;
const shortPatienceMs = 200;
const patienceMs = 1_500;
const firstPatienceMs = 8_000;
const lateAfterSeconds = 60;

/** The report of `operator status`, read once for all who ask, and never waited for long. */
@Injectable()
export class StatusCache {
  private known: StatusReport | undefined;
  private readAt = -Infinity;
  private reading: Promise<void> | undefined;

  constructor(
    private readonly config: ConsoleConfig,
    private readonly watch: ServerWatch,
  ) {}

  async report(): Promise<StatusReport> {
    if (this.age() > freshMs) {
      this.reading ??= this.read().finally(() => (this.reading = undefined));
      await Promise.race([this.reading, pause(this.patience())]);
    }
    const isStale = this.age() > staleMs && !this.isAnyAway();
    return withServers((isStale ? undefined : this.known) ?? emptyReport(notKnownYet), this.watch.current);
  }

  private age(): number {
    return performance.now() - this.readAt;
  }

  private isAnyAway(): boolean {
    const { kafka, clickhouse } = this.watch.current;
    return kafka.isAway || clickhouse.isAway;
  }

  private patience(): number {
    const age = this.age();
    if (age < recentMs) return shortPatienceMs;
    // The first report is worth a longer wait, unless a server is known to be away.
    return age < staleMs || this.isAnyAway() ? patienceMs : firstPatienceMs;
  }

  private async read(): Promise<void> {
    const { config } = this;
    const gateways = listed(config.GATEWAY_METRICS_URLS);
    const consumers = listed(config.CONSUMER_METRICS_URLS);
    this.known = await readStatus({ config, gateways, consumers, lateAfterSeconds });
    this.readAt = performance.now();
  }
}

const listed = (urls: string): string[] => urls.split(',').filter((url) => url.trim() !== '');
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms).unref());

/** Verdicts that the watch knows better, because it looks each second. */
function withServers(report: StatusReport, { kafka, clickhouse }: Servers): StatusReport {
  const since = (state: Servers['kafka']): Judged => ({
    verdict: 'away',
    summary: `away since ${(state.since ?? '').slice(11, 19)} UTC: ${state.reason ?? ''}`,
  });
  return {
    ...report,
    ...(kafka.isAway && {
      kafka: { ...report.kafka, ...since(kafka) },
      data: { ...report.data, verdict: 'away', summary: 'not known while Kafka does not answer' },
      deadLetters: { ...report.deadLetters, verdict: 'away', summary: 'not known while Kafka does not answer' },
    }),
    ...(clickhouse.isAway && {
      clickhouse: { ...report.clickhouse, ...since(clickhouse) },
      migrations: { ...report.migrations, verdict: 'away', summary: 'not known while ClickHouse does not answer' },
    }),
  };
}

const notKnownYet: Judged = { verdict: 'away', summary: 'not known yet' };

/** A report without figures, each part of which is judged so. */
export function emptyReport(judged: Judged): StatusReport {
  return {
    ...{ at: new Date().toISOString(), version },
    kafka: { ...judged, brokers: 0 },
    data: { ...judged, topics: [] },
    deadLetters: { ...judged, topics: [] },
    clickhouse: { ...judged, version: null, tables: [] },
    migrations: { ...judged, applied: 0, pending: [], changed: [] },
    consumers: { ...judged, consumers: [] },
    gateways: { ...judged, gateways: [] },
  };
}
