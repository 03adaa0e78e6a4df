import { partitionKey } from '@sluice/kafka';
import {
  describeStuck,
  formatDuration,
  type GatewayStatus,
  type Judged,
  type SystemReport,
  type StuckStatus,
} from '@sluice/operations';
import { formatGrid, toOneLine, formatTime } from '../terminal-text.js';

const minWaitSeconds = 60;
const maxPartitions = 30;

/** Formats the report for one screen: a line for each part, then the details. */
export function formatStatus(report: SystemReport): string {
  const sections = [
    `Sluice ${report.version}, ${formatTime(report.at)}`,
    formatVerdicts(report),
    formatTopics(report),
    formatStuck(report),
    formatTables(report),
    formatDeadLetters(report),
    ...report.gateways.gateways.map(formatRefusals),
    ...report.migrations.pending.map((name) => `  migration ${name} is not applied`),
    ...report.migrations.differences.map((difference) => `  ${toOneLine(difference)}`),
  ];
  return sections.filter((section) => section !== '').join('\n\n');
}

/** Parts of the report with their names, in the order of the output. */
export const listParts = (report: SystemReport): [name: string, part: Judged][] => [
  ['data', report.data],
  ['dead letters', report.deadLetters],
  ['consumers', report.consumers],
  ['gateways', report.gateways],
  ['kafka', report.kafka],
  ['clickhouse', report.clickhouse],
  ['migrations', report.migrations],
];

function formatVerdicts(report: SystemReport): string {
  const lines = listParts(report).map(([name, { verdict, summary }]) => {
    const verdictText = verdict === 'ok' ? verdict : verdict.toUpperCase();
    return `  ${name.padEnd(12)}  ${verdictText.padEnd(9)}  ${toOneLine(summary)}`;
  });
  return lines.join('\n');
}

function formatTopics({ data, at: reportTime }: SystemReport): string {
  const head = ['TOPIC', 'PARTITIONS', 'KEPT', 'CONSUMER', 'PROCESSES', 'NOT STORED', 'WAITS SINCE'];
  return formatIndented(
    head,
    data.topics.map((topic) => [
      topic.topic,
      String(topic.partitions),
      topic.retentionDays === null ? 'for ever' : `${topic.retentionDays} d`,
      topic.consumer,
      String(topic.members),
      topic.lag === 0 ? '0' : `${topic.lag} in ${topic.behind.length}`,
      topic.lateSince === null ? '' : `${formatTime(topic.lateSince)} (${formatAge(topic.lateSince, reportTime)})`,
    ]),
  );
}

/** Lists partitions that are stuck, with the reason, and those whose messages have waited for long. */
function formatStuck({ data, consumers }: SystemReport): string {
  const stuckPartitions = consumers.consumers.flatMap((consumer) => consumer.stuck);
  const isStuck = (topic: string, partition: number) => (status: StuckStatus) =>
    status.topic === topic && status.partition === partition;
  const rows = data.topics.flatMap(({ topic, behind }) =>
    behind.flatMap(({ partition, messages, waitsSeconds }) => {
      const stuckPartition = stuckPartitions.find(isStuck(topic, partition));
      if (!stuckPartition && waitsSeconds < minWaitSeconds) return [];
      const reason = stuckPartition
        ? `for ${formatDuration(stuckPartition.seconds)}: ${describeStuck(stuckPartition)}`
        : '';
      return [
        [
          partitionKey({ topic, partition }),
          String(messages),
          `over ${formatDuration(waitsSeconds)}`,
          toOneLine(reason),
        ],
      ];
    }),
  );
  return formatIndented(['WAITING PARTITION', 'MESSAGES', 'WAITS FOR', 'STUCK'], rows.slice(0, maxPartitions));
}

function formatTables({ clickhouse, at: reportTime }: SystemReport): string {
  const describeAge = (time: string | null): string => (time === null ? '' : `${formatAge(time, reportTime)} ago`);
  return formatIndented(
    ['TABLE', 'ROWS', 'NEWEST RECEIVED', 'NEWEST STORED'],
    clickhouse.tables.map(({ table, rows, newestReceived, newestStored }) => [
      table,
      rows.toLocaleString('en'),
      describeAge(newestReceived),
      describeAge(newestStored),
    ]),
  );
}

function formatDeadLetters({ deadLetters, at: reportTime }: SystemReport): string {
  return formatIndented(
    ['DEAD LETTERS OF', 'COUNT', 'NEWEST', 'REASONS OF THE NEWEST'],
    deadLetters.topics.map(({ topic, letters, newest, reasons }) => [
      topic,
      String(letters),
      newest === null ? '' : `${formatAge(newest, reportTime)} ago`,
      toOneLine(
        reasons
          .slice(0, 3)
          .map((cause) => `${cause.reason} (${cause.letters})`)
          .join(', '),
      ).slice(0, 100),
    ]),
  );
}

function formatRefusals({ url, requests, refused, unreachable }: GatewayStatus): string {
  if (unreachable !== null) return '';
  const reasons = refused
    .slice(0, 8)
    .map((refusal) => `    ${String(refusal.requests).padStart(9)}  ${refusal.reason}`);
  const count = refused.reduce((sum, refusal) => sum + refusal.requests, 0);
  return [`  ${url}: ${count} of ${requests} requests refused since it started`, ...reasons].join('\n');
}

const formatIndented = (head: string[], rows: readonly string[][]): string =>
  rows.length === 0 ? '' : formatGrid(head, rows).replace(/^/gm, '  ');

const formatAge = (time: string, now: string): string => formatDuration((Date.parse(now) - Date.parse(time)) / 1_000);
