import { scrapeProcesses } from '../status/processes.js';
import { processName, type Sample } from '../status/scrape.js';

const metric = 'sluice_privacy_registry_offset';

/** Processes in which the record of this offset of `suppressions.v1` is not in force yet, each with the reason. */
export async function notInForce(urls: readonly string[], offset: bigint): Promise<string[]> {
  const processes = await scrapeProcesses(urls);
  return processes.flatMap(({ url, unreachable, samples }) => {
    const name = processName(url, samples, 'process');
    if (unreachable !== null) return [`${name} does not answer: ${unreachable}`];
    const known = offsetOf(samples);
    if (known === undefined) return [`${name} does not suppress: it is of an earlier version`];
    return known >= Number(offset) ? [] : [`${name} does not know the suppression yet`];
  });
}

/** The lowest offset of the workers of a process. */
function offsetOf(samples: readonly Sample[]): number | undefined {
  const offsets = samples.filter(({ name }) => name === metric).map(({ value }) => value);
  return offsets.length === 0 ? undefined : Math.min(...offsets);
}
