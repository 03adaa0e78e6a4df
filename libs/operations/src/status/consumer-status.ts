import { formatCount } from '../format-count.js';
import { formatDuration } from '../format-duration.js';
import { type ProcessAnswer, scrapeProcesses } from './processes.js';
import { nameProcess, type MetricSample, sumSamples } from './scrape.js';
import {
  type ConsumerStatus,
  describeForeignView,
  describeStuck,
  type ForeignViewStatus,
  type Judged,
  type SystemReport,
  type StuckStatus,
} from '@sluice/console-api';

/** Reads stuck partitions from consumers, by the addresses of their `/metrics`. */
export async function readConsumerStatus(
  urls: readonly string[],
  lateAfterSeconds: number,
): Promise<SystemReport['consumers']> {
  const consumers = (await scrapeProcesses(urls)).map(toConsumerStatus);
  return { ...judgeConsumers(consumers, lateAfterSeconds), consumers };
}

/** A partition whose work failed a moment ago is tried again at once, and is not stuck yet. */
const minStuckSeconds = 2;

function toConsumerStatus({ url, unreachable, code, samples }: ProcessAnswer): ConsumerStatus {
  const stuck = samples
    .filter(({ name, value }) => name === 'sluice_consumer_stuck_seconds' && value >= minStuckSeconds)
    .map(toStuckStatus);
  const lostOffsets = sumSamples(samples, 'sluice_consumer_lost_offsets_total');
  return {
    url,
    name: nameProcess(url, samples, 'consumer'),
    unreachable,
    ...(code === 'TimeoutError' && { isSilent: true }),
    stuck: stuck.sort((a, b) => b.seconds - a.seconds),
    lostOffsets,
    foreignViews: samples.filter(({ name }) => name === 'sluice_clickhouse_foreign_view_failing').map(toForeignView),
  };
}

const toForeignView = ({ labels: { table = '', view = '', code = '' } }: MetricSample): ForeignViewStatus => ({
  table,
  view,
  code,
});

const toStuckStatus = ({
  labels: { topic = '', partition, what: step = '', code = '', shard },
  value,
}: MetricSample): StuckStatus => ({
  topic,
  partition: Number(partition),
  what: step,
  code: shard === undefined ? code : `${code} at shard ${shard}`,
  seconds: value,
});

export function judgeConsumers(consumers: readonly ConsumerStatus[], lateAfterSeconds: number): Judged {
  if (consumers.length === 0) return { verdict: 'ok', summary: 'not asked: add --consumer http://host:9000/metrics' };
  const unreachable = consumers.filter((consumer) => consumer.unreachable !== null);
  const stuck = consumers.flatMap((consumer) => consumer.stuck).sort((a, b) => b.seconds - a.seconds);
  const [worst] = stuck;
  const lost = consumers.reduce((sum, { lostOffsets }) => sum + lostOffsets, 0);
  const foreignViews = new Set(
    consumers.flatMap((consumer) => consumer.foreignViews ?? []).map((view) => describeForeignView(view)),
  );
  const isLate = worst !== undefined && worst.seconds > lateAfterSeconds;
  const parts = [
    ...unreachable.map((consumer) => `${consumer.name ?? consumer.url}: ${consumer.unreachable ?? ''}`),
    ...(worst ? [`${describePartition(worst)}${describeOtherStuck(stuck.length - 1)}`] : []),
    ...(lost > 0 ? [`${lost} offsets were deleted before they were stored: docs/runbooks.md#retentiontook`] : []),
    ...[...foreignViews].map((text) => `${text}: docs/runbooks.md#foreignviewfails`),
  ];
  if (parts.length === 0)
    return {
      verdict: 'ok',
      summary: `${formatCount(consumers.length, 'process', 'processes')}, no partition is stuck`,
    };
  return { verdict: unreachable.length > 0 ? 'unreachable' : isLate ? 'late' : 'attention', summary: parts.join('; ') };
}

/** `tracking.track.v1, partition 3, is stuck for 4 min: the INSERT fails with UNKNOWN_TABLE`. */
export const describePartition = (stuck: StuckStatus): string =>
  `${stuck.topic}, partition ${stuck.partition}, is stuck for ${formatDuration(stuck.seconds)}: ${describeStuck(stuck)}`;

const describeOtherStuck = (count: number): string =>
  count < 1 ? '' : `; ${formatCount(count, 'other partition is', 'other partitions are')} stuck too`;
