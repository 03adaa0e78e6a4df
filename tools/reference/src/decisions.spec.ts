import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const folder = new URL('../../../docs/decisions/', import.meta.url);
const halfAPage = 40;
const columns = 120;
/** A table of findings, and a protocol that has to stand in one place. */
const longer = ['0004-kafkajs-contained.md', '0010-exactly-once.md'];

/** Lines of 120 columns, the padding of tables aside. */
const linesOf = (page: string): number =>
  page
    .split('\n')
    .map((line) => line.replaceAll(/ +/g, ' ').replaceAll(/-{3,}/g, '---'))
    .reduce((sum, { length }) => sum + Math.ceil(length / columns), 0);

it.each(readdirSync(folder).filter((file) => !longer.includes(file)))('decision %s fits half a page', (file) => {
  expect(linesOf(readFileSync(new URL(file, folder), 'utf8'))).toBeLessThanOrEqual(halfAPage);
});
