import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const folder = new URL('../../../docs/decisions/', import.meta.url);
const halfAPage = 40;
const columns = 120;
/** Exceptions: one has a table of findings, the other a protocol that must be readable in one place. */
const longer = ['0004-kafkajs-contained.md', '0010-exactly-once.md'];

/** Counts lines of 120 columns, without the padding of tables. */
const linesOf = (page: string): number =>
  page
    .split('\n')
    .map((line) => line.replaceAll(/ +/g, ' ').replaceAll(/-{3,}/g, '---'))
    .reduce((sum, { length }) => sum + Math.ceil(length / columns), 0);

it.each(readdirSync(folder).filter((file) => !longer.includes(file)))('decision %s fits half a page', (file) =>
  expect(linesOf(readFileSync(new URL(file, folder), 'utf8'))).toBeLessThanOrEqual(halfAPage),
);
