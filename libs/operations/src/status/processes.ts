import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { reasonOf } from '../operation-error.js';
import { scrape, type Scraped } from './scrape.js';

/** Addresses of all processes behind these addresses. A name without addresses counts as no process. */
export const processAddresses = async (urls: readonly string[]): Promise<string[]> =>
  (await Promise.all(urls.map(addressesOf))).flat();

async function addressesOf(url: string): Promise<string[]> {
  const { hostname, protocol } = new URL(url);
  // A certificate names the host, so an https address stays as it is.
  if (protocol === 'https:' || isIP(hostname.replace(/^\[|\]$/g, '')) !== 0) return [url];
  const found = await lookup(hostname, { all: true }).catch((error: unknown) => {
    // A headless service without pods has no addresses; other failures are wrong names, or temporary.
    if ((error as NodeJS.ErrnoException).code === 'ENOTFOUND') return [];
    throw error;
  });
  // With both families a process has an address of each; one family counts it once.
  const family = found.some((one) => one.family === 4) ? 4 : 6;
  const ofFamily = found.filter((one) => one.family === family);
  if (ofFamily.length === 1) return [url];
  return ofFamily.map(({ address }) => {
    const one = new URL(url);
    one.hostname = family === 6 ? `[${address}]` : address;
    return one.href;
  });
}

/** The answer of one process. */
export interface Answered extends Scraped {
  readonly url: string;
  /** Whether the name has no address, as that of a service without pods. */
  readonly isWithoutProcess?: boolean;
}

/** Asks every process behind these addresses. A name without processes gives one answer, which says so. */
export async function scrapeProcesses(urls: readonly string[]): Promise<Answered[]> {
  const asked = urls.map(async (url): Promise<Answered[]> => {
    const addresses = await addressesOf(url).catch((error: unknown) => ({ unreachable: reasonOf(error) }));
    if ('unreachable' in addresses) return [{ url, unreachable: addresses.unreachable, samples: [] }];
    if (addresses.length === 0)
      return [{ url, unreachable: 'no process has this name', samples: [], isWithoutProcess: true }];
    return Promise.all(addresses.map(async (one) => ({ url: one, ...(await scrape(one)) })));
  });
  return (await Promise.all(asked)).flat();
}
