import { resolveProcessAddresses, type MetricSample, scrape } from '@sluice/operations';

/** A process that serves metrics; `unreachable` is the reason when it does not answer. */
export interface MetricsProcess {
  readonly address: string;
  readonly unreachable: string | null;
  readonly samples: readonly MetricSample[];
}

/** True if the process has ended or not begun: it opens this port first. */
const isGone = (code: string | undefined): boolean => code === 'ECONNREFUSED';

/** Asks every process behind these addresses: the name of a headless service stands for all its pods, even for none. */
export async function askProcesses(urls: readonly string[]): Promise<MetricsProcess[]> {
  const addresses = await resolveProcessAddresses(urls);
  const answers = await Promise.all(addresses.map(async (address) => ({ address, ...(await scrape(address)) })));
  return answers.filter(({ code }) => !isGone(code));
}
