import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { repositoryAt } from './references/repository.js';

const repository = repositoryAt(fileURLToPath(new URL('../../../', import.meta.url)));
const { paths } = repository;
const read = (path: string): string => repository.read(path);
const index = 'docs/decisions/README.md';
const decisions = paths.filter((path) => /^docs\/decisions\/\d{4}-/.test(path));
const decisionNumber = (path: string): number => Number(/\d{4}/.exec(path)?.[0]);

const halfAPage = 40;
const maxLines = 60;
const columns = 120;
/** Exceptions: one has a table of findings, the other a protocol that must be readable in one place. */
const longer = ['docs/decisions/0004-kafkajs-contained.md', 'docs/decisions/0010-exactly-once.md'];

/** Counts lines of 120 columns, without the padding of tables. */
const countLines = (page: string): number =>
  page
    .split('\n')
    .map((line) => line.replaceAll(/ +/g, ' ').replaceAll(/-{3,}/g, '---'))
    .reduce((sum, { length }) => sum + Math.ceil(length / columns), 0);

it.each(decisions.filter((path) => !longer.includes(path)))('%s fits half a page', (path) =>
  expect(countLines(read(path))).toBeLessThanOrEqual(halfAPage),
);

it.each(decisions)(`%s has at most ${maxLines} lines, and the title that the index has`, (path) => {
  const content = read(path);
  const [, title = ''] = /^# \d+\. (.+)\n/.exec(content) ?? [];
  expect(content.split('\n').length - 1).toBeLessThanOrEqual(maxLines);
  expect(read(index)).toMatch(new RegExp(`\\| \\[${decisionNumber(path)}\\]\\(${path.split('/')[2] ?? ''}\\) +\\| `));
  expect(read(index)).toContain(`| ${title} `);
});

it('no two decisions have the same number', () =>
  expect(new Set(decisions.map(decisionNumber)).size).toBe(decisions.length));

it('every decision is cited outside the index', () => {
  const citing = /\b[Dd]ecisions?[ /](\d[\d, and]*\d|\d)/g;
  const cited = paths
    .filter((path) => path !== index && path !== 'package-lock.json')
    .flatMap((path) => [...read(path).matchAll(citing)].map(([, numbers = '']) => ({ path, numbers })))
    .flatMap(({ path, numbers }) =>
      (numbers.match(/\d+/g) ?? [])
        .map(Number)
        .filter((number) => !decisions.includes(path) || decisionNumber(path) !== number),
    );
  const all = new Set(cited);
  expect(decisions.map(decisionNumber).filter((number) => !all.has(number))).toEqual([]);
});
