import { expect, it } from 'vitest';
import { aTab } from './a-tab.spec-support.js';

const selfReferring: unknown[] = [];
for (let index = 0; index < 30; index++) selfReferring.push(selfReferring);
const text = 'x'.repeat(4_000);
const nested = (item: unknown, depth: number): unknown =>
  depth === 0 ? item : Array.from({ length: 200 }, () => nested(item, depth - 1));
const row = nested(undefined, 1);

it.each([
  ['a list of references to itself', selfReferring],
  ['lists of texts', nested(text, 2)],
  ['lists of values that are left out', Array.from({ length: 200 }, () => Array.from({ length: 200 }, () => row))],
])('%s is refused before it is copied', (_, value) => {
  const { client } = aTab({});
  expect(client.track('a', { value })).toBe(false);
});

it('texts that are left out refuse nothing', () => {
  const { client, bodies, clock } = aTab({});
  const tooLong = Object.fromEntries(Array.from({ length: 7 }, (_, at) => [`p${at}`, 'x'.repeat(50_000)]));
  expect(client.track('a', { ok: 1, ...tooLong })).toBe(true);
  return clock.advance(5_000).then(() => {
    expect(bodies.join()).toContain('"properties":{"ok":1}');
  });
});

it('a message of the largest size is taken', () => {
  const { client } = aTab({});
  // Seven texts of 4,000 characters and names: 28 KB, next to what the platform adds.
  expect(client.track('a', Object.fromEntries(Array.from({ length: 7 }, (_, at) => [`p${at}`, text])))).toBe(true);
});
