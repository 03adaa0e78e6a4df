import { type Answered, scrapeProcesses } from '../status/processes.js';
import { processName, type Sample } from '../status/scrape.js';

const offsetMetric = 'sluice_privacy_registry_offset';
const followsMetric = 'sluice_privacy_follows_suppressions';

/** Addresses of `/metrics` of the processes that take or store messages. */
export interface ProcessUrls {
  readonly gateways: readonly string[];
  readonly consumers: readonly string[];
}

/** Processes in which the record of this offset of `suppressions.v1` is not in force yet, each with the reason. */
export async function notInForce({ gateways, consumers }: ProcessUrls, offset: bigint): Promise<string[]> {
  const [ofGateways, ofConsumers] = await Promise.all([scrapeProcesses(gateways), scrapeProcesses(consumers)]);
  // A consumer that is scaled to zero reads all suppressions before its first block.
  const running = ofConsumers.filter(({ isWithoutProcess }) => !isWithoutProcess);
  return [...ofGateways, ...running].flatMap((process) => reasonOf(process, Number(offset)) ?? []);
}

/** Why a process may still store messages of someone who is suppressed; undefined when it does not. */
function reasonOf({ url, unreachable, samples }: Answered, offset: number): string | undefined {
  const name = processName(url, samples, 'process');
  if (unreachable !== null) return `${name} does not answer: ${unreachable}`;
  const known = minOf(samples, offsetMetric);
  if (known !== undefined) return known >= offset ? undefined : `${name} does not know the suppression yet`;
  const follows = minOf(samples, followsMetric);
  return follows === 0 ? undefined : `${name} does not say whether it suppresses: it is of an earlier version`;
}

/** The lowest value of a metric, of the workers of a process; undefined when it is not exported. */
function minOf(samples: readonly Sample[], metric: string): number | undefined {
  const values = samples.filter(({ name }) => name === metric).map(({ value }) => value);
  return values.length === 0 ? undefined : Math.min(...values);
}
