import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { describeFailure } from '../operation-error.js';
import { scrape, type ScrapeAnswer } from './scrape.js';

/** Addresses of all processes behind these addresses. A name without addresses counts as no process. */
export const resolveProcessAddresses = async (urls: readonly string[]): Promise<string[]> =>
  (await Promise.all(urls.map(resolveAddresses))).flat();

async function resolveAddresses(url: string): Promise<string[]> {
  const { hostname, protocol } = new URL(url);
  // A certificate names the host, so an https address stays as it is.
  if (protocol === 'https:' || isIP(hostname.replace(/^\[|\]$/g, '')) !== 0) return [url];
  const addresses = await lookup(hostname, { all: true }).catch((error: unknown) => {
    // A headless service without pods has no addresses; other failures are wrong names, or temporary.
    if ((error as NodeJS.ErrnoException).code === 'ENOTFOUND') return [];
    throw error;
  });
  // With both families a process has an address of each; one family counts it once.
  const family = addresses.some((address) => address.family === 4) ? 4 : 6;
  const familyAddresses = addresses.filter((address) => address.family === family);
  if (familyAddresses.length === 1) return [url];
  return familyAddresses.map(({ address }) => {
    const processUrl = new URL(url);
    processUrl.hostname = family === 6 ? `[${address}]` : address;
    return processUrl.href;
  });
}

/** The answer of one process. */
export interface ProcessAnswer extends ScrapeAnswer {
  readonly url: string;
  /** True if the name has no address, as that of a service without pods. */
  readonly isWithoutProcess?: boolean;
}

/** Pause before a process that failed at once is asked again. */
const secondLookMs = 1_000;

/**
 * Asks a process, twice if it fails at once: a connection that breaks in a restart of a second is not an outage. A
 * process without an answer in the time of a scrape was looked at for long enough, unless this one stood still.
 */
async function scrapeWithRetry(url: string): Promise<ScrapeAnswer> {
  const firstAnswer = await scrape(url);
  if (firstAnswer.unreachable === null) return firstAnswer;
  if (firstAnswer.code === 'TimeoutError') return firstAnswer.hasPaused ? scrape(url) : firstAnswer;
  await new Promise((resolve) => setTimeout(resolve, secondLookMs));
  return scrape(url);
}

/** Asks every process behind these addresses. A name without processes gives one answer, which says so. */
export async function scrapeProcesses(urls: readonly string[]): Promise<ProcessAnswer[]> {
  const answers = urls.map(async (url): Promise<ProcessAnswer[]> => {
    const addresses = await resolveAddresses(url).catch((error: unknown) => ({ unreachable: describeFailure(error) }));
    if ('unreachable' in addresses) return [{ url, unreachable: addresses.unreachable, samples: [] }];
    if (addresses.length === 0)
      return [{ url, unreachable: 'no process has this name', samples: [], isWithoutProcess: true }];
    return Promise.all(addresses.map(async (address) => ({ url: address, ...(await scrapeWithRetry(address)) })));
  });
  return (await Promise.all(answers)).flat();
}
