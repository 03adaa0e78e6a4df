import { errorCode } from '@sluice/service';
import { isIP } from 'node:net';
import { describeFailure } from '../operation-error.js';

const limitMs = 5_000;

/** Time by which a timer may be late in a process that is awake. */
const maxLateMs = 2_000;

/** The answer of a `/metrics`; without one, `unreachable` is the reason and `code` the code of the error. */
export interface ScrapeAnswer {
  unreachable: string | null;
  code?: string;
  /** Whether this process stood still while it waited: the lack of an answer says nothing about the other one. */
  hasPaused?: boolean;
  samples: MetricSample[];
}

export async function scrape(url: string): Promise<ScrapeAnswer> {
  const startedAt = performance.now();
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(limitMs) });
    if (!response.ok) throw new Error(`it answered ${response.status}`);
    return { unreachable: null, samples: readSamples(await response.text()) };
  } catch (error) {
    if (error instanceof Error && error.name === 'TimeoutError')
      return {
        unreachable: `no answer within ${limitMs / 1_000} s`,
        code: error.name,
        hasPaused: performance.now() - startedAt > limitMs + maxLateMs,
        samples: [],
      };
    const cause = error instanceof TypeError ? error.cause : error;
    return { unreachable: describeFailure(cause ?? error), code: errorCode(cause ?? error), samples: [] };
  }
}

/** Name of a process for people: its app and the name of its host or pod, if it reports them, else its address. */
export function nameProcess(url: string, samples: readonly MetricSample[], fallback: string): string {
  const { app = fallback, host } = samples.find(({ name }) => name === 'sluice_build_info')?.labels ?? {};
  const address = URL.canParse(url) ? new URL(url) : undefined;
  // A pod's name says more than its address. The reader knows addresses of this machine, and names of hosts.
  const isPod = address !== undefined && isIP(address.hostname.replace(/^\[|\]$/g, '')) !== 0 && !isLoopback(address);
  const hostName = host !== undefined && isPod ? host : (address?.host ?? url);
  const name = samples.length > 0 ? `${app} at ${hostName}` : (knownNames.get(url) ?? `${app} at ${hostName}`);
  knownNames.set(url, name);
  return name;
}
/** Names by address: a process that does not answer keeps its name. */
const knownNames = new Map<string, string>();

const isLoopback = ({ hostname }: URL): boolean => hostname.startsWith('127.') || hostname === '[::1]';

/** A sample in Prometheus' text format. */
export interface MetricSample {
  name: string;
  labels: Record<string, string>;
  value: number;
}

/** Parses the samples of a scrape; comments and invalid lines are left out. */
export function readSamples(text: string): MetricSample[] {
  return text.split('\n').flatMap((line) => {
    const [, name, labels = '', value] = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
    if (name === undefined || value === undefined) return [];
    const pairs = [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, key = '', text = '']) => [key, text]);
    return [{ name, labels: Object.fromEntries(pairs) as Record<string, string>, value: Number(value) }];
  });
}

export const sumSamples = (samples: readonly MetricSample[], name: string): number =>
  samples.filter((sample) => sample.name === name).reduce((sum, { value }) => sum + value, 0);
