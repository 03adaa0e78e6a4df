import { duration, type GatewayStatus, type Judged, type StatusReport, type StuckStatus } from '@sluice/operations';
import { grid, onOneLine, shortTime } from '../terminal-text.js';

const minWaitSeconds = 60;
const maxPartitions = 30;

/** Formats the report for one screen: a line for each part, then the details. */
export function statusText(report: StatusReport): string {
  const sections = [
    `Sluice ${report.version}, ${shortTime(report.at)}`,
    verdicts(report),
    topics(report),
    stuck(report),
    tables(report),
    deadLetters(report),
    ...report.gateways.gateways.map(refusals),
    ...report.migrations.pending.map((name) => `  migration ${name} is not applied`),
    ...report.migrations.differences.map((difference) => `  ${onOneLine(difference)}`),
  ];
  return sections.filter((section) => section !== '').join('\n\n');
}

/** Parts of the report with their names, in the order of the output. */
export const partsOfReport = (report: StatusReport): [name: string, part: Judged][] => [
  ['data', report.data],
  ['dead letters', report.deadLetters],
  ['consumers', report.consumers],
  ['gateways', report.gateways],
  ['kafka', report.kafka],
  ['clickhouse', report.clickhouse],
  ['migrations', report.migrations],
];

function verdicts(report: StatusReport): string {
  const lines = partsOfReport(report).map(([name, { verdict, summary }]) => {
    const shown = verdict === 'ok' ? verdict : verdict.toUpperCase();
    return `  ${name.padEnd(12)}  ${shown.padEnd(9)}  ${onOneLine(summary)}`;
  });
  return lines.join('\n');
}

function topics({ data, at }: StatusReport): string {
  const head = ['TOPIC', 'PARTITIONS', 'KEPT', 'CONSUMER', 'PROCESSES', 'NOT STORED', 'WAITS SINCE'];
  return indented(
    head,
    data.topics.map((one) => [
      one.topic,
      String(one.partitions),
      one.retentionDays === null ? 'for ever' : `${one.retentionDays} d`,
      one.consumer,
      String(one.members),
      one.lag === 0 ? '0' : `${one.lag} in ${one.behind.length}`,
      one.lateSince === null ? '' : `${shortTime(one.lateSince)} (${ago(one.lateSince, at)})`,
    ]),
  );
}

/** Lists partitions that are stuck, with the reason, and those whose messages have waited for long. */
function stuck({ data, consumers }: StatusReport): string {
  const known = consumers.consumers.flatMap((one) => one.stuck);
  const isStuck = (topic: string, partition: number) => (one: StuckStatus) =>
    one.topic === topic && one.partition === partition;
  const rows = data.topics.flatMap(({ topic, behind }) =>
    behind.flatMap(({ partition, messages, waitsSeconds }) => {
      const why = known.find(isStuck(topic, partition));
      if (!why && waitsSeconds < minWaitSeconds) return [];
      const reason = why ? `${why.what} ${why.code} for ${duration(why.seconds)}` : '';
      return [[`${topic}:${partition}`, String(messages), `over ${duration(waitsSeconds)}`, onOneLine(reason)]];
    }),
  );
  return indented(['WAITING PARTITION', 'MESSAGES', 'WAITS FOR', 'STUCK'], rows.slice(0, maxPartitions));
}

function tables({ clickhouse, at }: StatusReport): string {
  const age = (time: string | null): string => (time === null ? '' : `${ago(time, at)} ago`);
  return indented(
    ['TABLE', 'ROWS', 'NEWEST RECEIVED', 'NEWEST STORED'],
    clickhouse.tables.map(({ table, rows, newestReceived, newestStored }) => [
      table,
      rows.toLocaleString('en'),
      age(newestReceived),
      age(newestStored),
    ]),
  );
}

function deadLetters({ deadLetters, at }: StatusReport): string {
  return indented(
    ['DEAD LETTERS OF', 'COUNT', 'NEWEST', 'REASONS OF THE NEWEST'],
    deadLetters.topics.map(({ topic, letters, newest, reasons }) => [
      topic,
      String(letters),
      newest === null ? '' : `${ago(newest, at)} ago`,
      onOneLine(
        reasons
          .slice(0, 3)
          .map((one) => `${one.reason} (${one.letters})`)
          .join(', '),
      ).slice(0, 100),
    ]),
  );
}

function refusals({ url, requests, refused, unreachable }: GatewayStatus): string {
  if (unreachable !== null) return '';
  const reasons = refused.slice(0, 8).map((one) => `    ${String(one.requests).padStart(9)}  ${one.reason}`);
  const count = refused.reduce((sum, one) => sum + one.requests, 0);
  return [`  ${url}: ${count} of ${requests} requests refused since it started`, ...reasons].join('\n');
}

const indented = (head: string[], rows: readonly string[][]): string =>
  rows.length === 0 ? '' : grid(head, rows).replace(/^/gm, '  ');

const ago = (time: string, now: string): string => duration((Date.parse(now) - Date.parse(time)) / 1_000);
