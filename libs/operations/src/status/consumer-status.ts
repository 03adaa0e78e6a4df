import { duration } from '../duration.js';
import { type Answered, scrapeProcesses } from './processes.js';
import { processName, type Sample, sumOf } from './scrape.js';
import { type ConsumerStatus, type Judged, type StatusReport, type StuckStatus } from '@sluice/console-api';

/** Reads stuck partitions from consumers, by the addresses of their `/metrics`. */
export async function readConsumerStatus(
  urls: readonly string[],
  lateAfterSeconds: number,
): Promise<StatusReport['consumers']> {
  const consumers = (await scrapeProcesses(urls)).map(consumerStatus);
  return { ...judgeConsumers(consumers, lateAfterSeconds), consumers };
}

function consumerStatus({ url, unreachable, samples }: Answered): ConsumerStatus {
  const stuck = samples.filter(({ name }) => name === 'sluice_consumer_stuck_seconds').map(stuckOf);
  const lostOffsets = sumOf(samples, 'sluice_consumer_lost_offsets_total');
  return {
    url,
    name: processName(url, samples, 'consumer'),
    unreachable,
    stuck: stuck.sort((a, b) => b.seconds - a.seconds),
    lostOffsets,
  };
}

const stuckOf = ({ labels: { topic = '', partition, what = '', code = '', shard }, value }: Sample): StuckStatus => ({
  topic,
  partition: Number(partition),
  what,
  code: shard === undefined ? code : `${code} at shard ${shard}`,
  seconds: value,
});

export function judgeConsumers(consumers: readonly ConsumerStatus[], lateAfterSeconds: number): Judged {
  if (consumers.length === 0) return { verdict: 'ok', summary: 'not asked: add --consumer http://host:9000/metrics' };
  const unreachable = consumers.filter((one) => one.unreachable !== null);
  const stuck = consumers.flatMap((one) => one.stuck).sort((a, b) => b.seconds - a.seconds);
  const [worst] = stuck;
  const lost = consumers.reduce((sum, { lostOffsets }) => sum + lostOffsets, 0);
  const isLate = worst !== undefined && worst.seconds > lateAfterSeconds;
  const parts = [
    ...unreachable.map((one) => `${one.name ?? one.url}: ${one.unreachable ?? ''}`),
    ...(worst ? [`${named(worst)}${stuck.length > 1 ? `, and ${stuck.length - 1} more` : ''}`] : []),
    ...(lost > 0 ? [`${lost} offsets were deleted before they were stored: docs/operations.md#retentiontook`] : []),
  ];
  if (parts.length === 0)
    return {
      verdict: 'ok',
      summary: `${consumers.length} ${consumers.length === 1 ? 'process' : 'processes'}, no partition is stuck`,
    };
  return { verdict: unreachable.length > 0 ? 'unreachable' : isLate ? 'late' : 'attention', summary: parts.join('; ') };
}

/** `tracking.track.v1:3 is stuck for 4 min: block UNKNOWN_TABLE`. */
export const named = ({ topic, partition, what, code, seconds }: StuckStatus): string =>
  `${topic}:${partition} is stuck for ${duration(seconds)}: ${what} ${code}`;
