import { Injectable } from '@nestjs/common';
import { type Judged, type Servers, type StatusReport } from '@sluice/console-api';
import { readStatus, type StatusQuestion } from '@sluice/operations';
import { version } from '@sluice/service';
import { type ConsoleConfig } from '../config.js';
import { ServerWatch } from '../servers/servers.js';
import { Problems } from './problems.js';
import { Steady } from './steady.js';

const freshMs = 3_000;
/** A report of this age is shown rather than waited for, when the next one takes long. */
const recentMs = 10_000;
/** An older report says nothing about now: it is not shown, except while a server is unreachable. */
const staleMs = 30_000;
const shortTimeoutMs = 200;
const timeoutMs = 1_500;
const firstTimeoutMs = 8_000;
const lateAfterSeconds = 60;

/** The report of `operator status`, read once for all who ask, and never waited for long. */
@Injectable()
export class StatusCache {
  private lastReport: StatusReport | undefined;
  private readAt = -Infinity;
  /** Start of the reading of `lastReport`. */
  private askedAt = -Infinity;
  private reading: Promise<void> | undefined;
  private readonly problems = new Problems();
  private readonly steady = new Steady();

  constructor(
    private readonly config: ConsoleConfig,
    private readonly watch: ServerWatch,
    private readonly letters?: { status: NonNullable<StatusQuestion['deadLetters']> },
    private readonly sources: { read: () => Promise<StatusReport['sources']> } = notAsked,
  ) {}

  async report(): Promise<StatusReport> {
    if (this.age() > freshMs || this.unread().length > 0) {
      this.reading ??= this.read().finally(() => (this.reading = undefined));
      await Promise.race([this.reading, pause(this.timeout())]);
    }
    return this.current();
  }

  /** The known report with the verdicts of now, without a wait. */
  current(): StatusReport {
    const isStale = this.age() > staleMs && !this.isAnyDown();
    const lastReport = (isStale ? undefined : this.lastReport) ?? emptyReport(notKnownYet);
    const configuredReport = withoutUnasked(lastReport, this.config);
    const servers = this.watch.current;
    const report = withServers(withoutReturned(configuredReport, this.unread()), servers);
    const outages = { kafka: servers.kafka.since, clickhouse: servers.clickhouse.since };
    return { ...report, problems: this.problems.of(report, undefined, outages) };
  }

  private age(): number {
    return performance.now() - this.readAt;
  }

  /** Servers that began to answer again after the reading of `lastReport` had begun. */
  private unread(): Server[] {
    return (['kafka', 'clickhouse'] as const).filter((name) => this.watch.backAt(name) > this.askedAt);
  }

  private isAnyDown(): boolean {
    const { kafka, clickhouse } = this.watch.current;
    return kafka.isUnreachable || clickhouse.isUnreachable;
  }

  private timeout(): number {
    const age = this.age();
    if (age < recentMs) return this.unread().length > 0 ? timeoutMs : shortTimeoutMs;
    // The first report is worth a longer wait, unless a server is known to be unreachable or is just back.
    return age < staleMs || this.isAnyDown() ? timeoutMs : firstTimeoutMs;
  }

  private async read(): Promise<void> {
    const { config, letters } = this;
    const askedAt = performance.now();
    const gateways = listed(config.GATEWAY_METRICS_URLS);
    const consumers = listed(config.CONSUMER_METRICS_URLS);
    const { kafka, clickhouse } = this.watch.current;
    const unreachable = { kafka: kafka.isUnreachable, clickhouse: clickhouse.isUnreachable };
    const question = { config, gateways, consumers, lateAfterSeconds, unreachable };
    const [system, sources] = await Promise.all([
      readStatus({ ...question, ...(letters && { deadLetters: () => letters.status() }) }),
      clickhouse.isUnreachable ? sourcesUnknown : this.sources.read().catch(() => sourcesUnknown),
    ]);
    const report = { ...system, sources };
    const steady = this.steady.of(report);
    this.lastReport = this.lastReport ? withKnown(steady, this.lastReport) : steady;
    this.readAt = performance.now();
    this.askedAt = askedAt;
  }
}

const listed = (urls: string): string[] => urls.split(',').filter((url) => url.trim() !== '');
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms).unref());

/** Adds the earlier figures of parts that could not be read now. The verdicts stay those of the new report. */
function withKnown(report: StatusReport, lastReport: StatusReport): StatusReport {
  const isRead = ({ verdict }: Judged): boolean => verdict !== 'unknown' && verdict !== 'unreachable';
  const keep = <P extends Judged>(now: P, before: P): P =>
    isRead(now) ? now : { ...before, verdict: now.verdict, summary: now.summary };
  return {
    ...report,
    kafka: keep(report.kafka, lastReport.kafka),
    data: keep(report.data, lastReport.data),
    deadLetters: keep(report.deadLetters, lastReport.deadLetters),
    clickhouse: keep(report.clickhouse, lastReport.clickhouse),
    migrations: keep(report.migrations, lastReport.migrations),
    sources: keep(report.sources, lastReport.sources),
  };
}

/** Makes processes whose addresses are not set unknown: they are not OK. */
function withoutUnasked(report: StatusReport, config: ConsoleConfig): StatusReport {
  const unset = (name: 'GATEWAY_METRICS_URLS' | 'CONSUMER_METRICS_URLS'): Judged | undefined =>
    listed(config[name]).length > 0 ? undefined : { verdict: 'unknown', summary: `not asked: ${name} is not set` };
  return {
    ...report,
    gateways: { ...report.gateways, ...unset('GATEWAY_METRICS_URLS') },
    consumers: { ...report.consumers, ...unset('CONSUMER_METRICS_URLS') },
  };
}

type Server = keyof Servers;

/** Makes verdicts that were read during an outage unknown when it is over: what waited is not stored at once. */
function withoutReturned(report: StatusReport, returned: readonly Server[]): StatusReport {
  const parts = {
    kafka: ['kafka', 'data', 'deadLetters', 'consumers'],
    clickhouse: ['clickhouse', 'migrations', 'data', 'consumers', 'deadLetters', 'sources'],
  } as const;
  const judged = Object.fromEntries(
    returned.flatMap((server) =>
      parts[server].map((part) => {
        const summary = `not known yet: ${server === 'kafka' ? 'Kafka' : 'ClickHouse'} has just answered again`;
        return [part, { ...report[part], verdict: 'unknown', summary }];
      }),
    ),
  ) as Partial<StatusReport>;
  return { ...report, ...judged };
}

/** Applies the verdicts of the watch, which are newer. Nothing that waits for an unreachable server is OK. */
function withServers(report: StatusReport, { kafka, clickhouse }: Servers): StatusReport {
  const since = (state: Servers['kafka']): Judged => ({
    verdict: 'unreachable',
    summary: `does not answer: ${state.reason ?? ''}`,
  });
  const unknown = (server: string): Judged => ({
    verdict: 'unknown',
    summary: `not known while ${server} does not answer`,
  });
  const unlessWorse = <P extends Judged>(part: P, judged: Judged): P =>
    part.verdict === 'ok' || part.verdict === 'attention' ? { ...part, ...judged } : part;
  return {
    ...report,
    ...(clickhouse.isUnreachable && {
      clickhouse: { ...report.clickhouse, ...since(clickhouse) },
      migrations: { ...report.migrations, ...unknown('ClickHouse') },
      sources: { ...report.sources, ...unknown('ClickHouse') },
      data: unlessWorse(report.data, waitsFor('ClickHouse', 'nothing is stored; messages wait in Kafka')),
      consumers: unlessWorse(report.consumers, waitsFor('ClickHouse', 'they cannot store')),
    }),
    ...(kafka.isUnreachable && {
      kafka: { ...report.kafka, ...since(kafka) },
      data: { ...report.data, ...unknown('Kafka') },
      deadLetters: { ...report.deadLetters, ...unknown('Kafka') },
      sources: { ...report.sources, ...unknown('Kafka') },
      consumers: unlessWorse(report.consumers, waitsFor('Kafka', 'they get no messages')),
      ...(report.gateways.verdict === 'ok' && {
        gateways: { ...report.gateways, ...waitsFor('Kafka', 'they accept only what fits on their disks') },
      }),
    }),
  };
}

const waitsFor = (server: string, state: string): Judged => ({
  verdict: 'attention',
  summary: `${state} while ${server} does not answer`,
});

const notAsked = {
  read: (): Promise<StatusReport['sources']> => Promise.resolve({ verdict: 'ok', summary: 'not asked', sources: [] }),
};

const sourcesUnknown: StatusReport['sources'] = {
  verdict: 'unknown',
  summary: 'not known while ClickHouse does not answer',
  sources: [],
};

const notKnownYet: Judged = { verdict: 'unknown', summary: 'not known yet' };

/** A report without figures, with the same verdict for each part. */
export function emptyReport(judged: Judged): StatusReport {
  return {
    at: new Date().toISOString(),
    version,
    kafka: { ...judged, brokers: 0 },
    data: { ...judged, topics: [] },
    deadLetters: { ...judged, topics: [] },
    clickhouse: { ...judged, version: null, tables: [] },
    migrations: { ...judged, applied: 0, pending: [], changed: [], differences: [] },
    consumers: { ...judged, consumers: [] },
    gateways: { ...judged, gateways: [] },
    sources: { ...judged, sources: [] },
  };
}
