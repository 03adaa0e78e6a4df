import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const file = join(dirname(createRequire(import.meta.url).resolve('user-agents')), 'user-agents.json');
interface Visit {
  readonly userAgent: string;
}

let visits: readonly Visit[] | undefined;

/** The user agent of the nth person, from a public list of 10,000 visits. Its five megabytes are read when needed. */
export function userAgentOf(n: number): string {
  visits ??= JSON.parse(readFileSync(file, 'utf8')) as readonly Visit[];
  return visits[(n * 7_919) % visits.length]?.userAgent ?? '';
}
