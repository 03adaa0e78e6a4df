import { expect, it } from 'vitest';
import { ruleSentence, violationRules, violationsIn } from './violation-words';

const page = Object.values(
  import.meta.glob<string>('../../../../../docs/plans.md', { query: '?raw', import: 'default', eager: true }),
).join('');

it('has the words of docs/plans.md for every rule', () => {
  const section = page.slice(page.indexOf('## Violations'), page.indexOf('## Changing a plan'));
  const rows = section.matchAll(/^\| (`[^|]+`)\s*\| ([^|]+?)\s*\|$/gm);
  const documented = Array.from(rows, ([, rules = '', words = '']) =>
    Array.from(rules.matchAll(/`(\w+)`/g), ([, rule = '']): [string, string] => [rule, words]),
  ).flat();
  expect(Object.fromEntries(documented)).toEqual(violationRules);
});

it('reads the violations of a row', () => {
  expect(violationsIn('{"violations":["wrong_type:items[].price","unknown_event:","more"]}')).toEqual([
    { rule: 'wrong_type', path: 'items[].price' },
    { rule: 'unknown_event', path: '' },
    { rule: 'more', path: '' },
  ]);
  for (const json of ['{}', '{"violations":7}', '{"violations":[7]}', 'cut off'])
    expect(violationsIn(json)).toEqual([]);
  expect(ruleSentence('wrong_type')).toBe('The value has none of the types.');
  expect(ruleSentence('more')).toBeUndefined();
});
