import { type Sample, scrape } from '@sluice/operations';
import { lookup } from 'node:dns/promises';

/** A process that serves metrics; `away` is the reason when it does not answer. */
export interface Process {
  readonly address: string;
  readonly away: string | null;
  readonly samples: readonly Sample[];
}

/** Nothing listens at the address: the process has ended or not begun, because this port is opened first. */
const isGone = (code: string | undefined): boolean => code === 'ECONNREFUSED';

/** Asks every process behind these addresses: the name of a headless service stands for all its pods, even for none. */
export async function askProcesses(urls: readonly string[]): Promise<Process[]> {
  const addresses = (await Promise.all(urls.map(addressesOf))).flat();
  const asked = await Promise.all(addresses.map(async (address) => ({ address, ...(await scrape(address)) })));
  return asked.filter(({ code }) => !isGone(code));
}

async function addressesOf(url: string): Promise<string[]> {
  const { hostname } = new URL(url);
  const found = await lookup(hostname.replace(/^\[|\]$/g, ''), { all: true }).catch((error: unknown) => {
    // A service without pods has no addresses; anything else is a mistake or passes.
    if ((error as NodeJS.ErrnoException).code === 'ENOTFOUND') return [];
    throw error;
  });
  return found.map(({ address, family }) => {
    const one = new URL(url);
    one.hostname = family === 6 ? `[${address}]` : address;
    return one.href;
  });
}
