import { processAddresses, type Sample, scrape } from '@sluice/operations';

/** A process that serves metrics; `unreachable` is the reason when it does not answer. */
export interface Process {
  readonly address: string;
  readonly unreachable: string | null;
  readonly samples: readonly Sample[];
}

/** Nothing listens at the address: the process has ended or not begun, because it opens this port first. */
const isGone = (code: string | undefined): boolean => code === 'ECONNREFUSED';

/** Asks every process behind these addresses: the name of a headless service stands for all its pods, even for none. */
export async function askProcesses(urls: readonly string[]): Promise<Process[]> {
  const addresses = await processAddresses(urls);
  const asked = await Promise.all(addresses.map(async (address) => ({ address, ...(await scrape(address)) })));
  return asked.filter(({ code }) => !isGone(code));
}
