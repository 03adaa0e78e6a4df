import { type ProcessAnswer, scrapeProcesses } from '../status/processes.js';
import { nameProcess, type MetricSample } from '../status/scrape.js';

const offsetMetric = 'sluice_privacy_registry_offset';
const followsMetric = 'sluice_privacy_follows_suppressions';

/** Addresses of `/metrics` of the processes that take or store messages. */
export interface ProcessUrls {
  readonly gateways: readonly string[];
  readonly consumers: readonly string[];
}

/** Processes in which the record of this offset of `suppressions.v1` is not in force yet, each with the reason. */
export async function listNotInForce({ gateways, consumers }: ProcessUrls, offset: bigint): Promise<string[]> {
  const [gatewayAnswers, consumerAnswers] = await Promise.all([scrapeProcesses(gateways), scrapeProcesses(consumers)]);
  // A consumer that is scaled to zero reads all suppressions before its first block.
  const running = consumerAnswers.filter(({ isWithoutProcess }) => !isWithoutProcess);
  return [...gatewayAnswers, ...running].flatMap((process) => reasonNotInForce(process, Number(offset)) ?? []);
}

/** Reason why a process may still store messages of someone who is suppressed; undefined when it does not. */
function reasonNotInForce({ url, unreachable, samples }: ProcessAnswer, offset: number): string | undefined {
  const name = nameProcess(url, samples, 'process');
  if (unreachable !== null) return `${name} does not answer: ${unreachable}`;
  const knownOffset = minSample(samples, offsetMetric);
  if (knownOffset !== undefined) return knownOffset >= offset ? undefined : `${name} does not know the suppression yet`;
  const follows = minSample(samples, followsMetric);
  return follows === 0 ? undefined : `${name} does not say whether it suppresses: it is of an earlier version`;
}

/** The lowest value of a metric, of the workers of a process; undefined when it is not exported. */
function minSample(samples: readonly MetricSample[], metric: string): number | undefined {
  const values = samples.filter(({ name }) => name === metric).map(({ value }) => value);
  return values.length === 0 ? undefined : Math.min(...values);
}
