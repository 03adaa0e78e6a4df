import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const file = join(dirname(createRequire(import.meta.url).resolve('user-agents')), 'user-agents.json');
const visits = JSON.parse(readFileSync(file, 'utf8')) as readonly { readonly userAgent: string }[];

/** The user agent of the nth person, of 10,000 visits as a public list has them. */
export const userAgentOf = (n: number): string => visits[(n * 7_919) % visits.length]?.userAgent ?? '';
