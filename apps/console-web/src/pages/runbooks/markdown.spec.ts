import { expect, it } from 'vitest';
import { plainText, readBlocks, findSection } from './markdown';
import { anchorOnPages, operatorPages } from './operator-pages';

// A path without a file would be left out silently: the test counts what is named.
const texts = import.meta.glob<string>(
  [
    '../../../../../apps/console/src/status/advice.ts',
    '../../../../../libs/operations/src/status/*-status.ts',
    '../../../../../deploy/helm/sluice/files/alerts.yml',
  ],
  { query: '?raw', import: 'default', eager: true },
);
const read = (name: string): string => Object.entries(texts).find(([path]) => path.endsWith(name))?.[1] ?? '';
const blocks = readBlocks(operatorPages);
/** Runbooks that verdicts, their summaries and alerts name. */
const runbooksIn = (text: string): string[] =>
  Array.from(text.matchAll(/docs\/[\w-]+\.md#([\w-]+)/g), ([, id = '']) => id);

it('has the runbook of every verdict and alert', () => {
  const ofAlerts = runbooksIn(read('/alerts.yml'));
  const ofVerdicts = runbooksIn(read('/advice.ts'));
  expect([ofAlerts.length > 30, ofVerdicts.length > 10]).toEqual([true, true]);
  const named = new Set(Object.values(texts).flatMap(runbooksIn));
  expect([...named].filter((id) => findSection(blocks, id).length < 2)).toEqual([]);
});

it('ends a section where the next one begins', () => {
  const [heading, ...rest] = findSection(blocks, 'partitionstuck');
  expect(heading).toMatchObject({ type: 'heading', text: 'PartitionStuck' });
  expect(rest.map(({ type }) => type).filter((type) => type !== 'space')).toEqual(['paragraph', 'table', 'paragraph']);
});

it('gives headings the anchors that GitHub gives them', () => {
  const page = '## A `b_c`, and more\n\n## Again\n\n## Again\n';
  const ids = readBlocks(page).flatMap((block) => (block.type === 'heading' ? [block.id] : []));
  expect(ids).toEqual(['a-b_c-and-more', 'again', 'again-1']);
});

it('reads the text without its marks', () => {
  const [paragraph] = readBlocks('See **all** of [`a_b`](#events) in `x < y & z`, a_b_c, _now_.');
  expect(paragraph?.type === 'paragraph' && plainText(paragraph.tokens)).toBe(
    'See all of a_b in x < y & z, a_b_c, now.',
  );
});

it.each(['', 'runbooks.md', 'upgrades.md'])('a link to "%s" of the pages opens in the console', (page) =>
  expect(anchorOnPages(`${page}#repairs`)).toBe('repairs'),
);

it.each(['tables.md', 'https://example.com/', 'decisions/0010-exactly-once.md'])('a link to %s does not', (page) =>
  expect(anchorOnPages(`${page}#repairs`)).toBeUndefined(),
);
