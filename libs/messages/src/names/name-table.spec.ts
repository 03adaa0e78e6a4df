import { expect, it } from 'vitest';
import { hashName, hashPath } from './name-hash.js';
import { NameTable } from './name-table.js';

const path = (n: number): number => hashPath(hashName('properties'), hashName(`name ${n}`));

it('knows the names that were added, and no others', () => {
  const table = new NameTable();
  for (let n = 0; n < 5_000; n++) {
    if (!table.has(path(n))) table.add(path(n));
  }
  // A few paths of 32 bits have the same hash.
  expect(table.size).toBeGreaterThan(4_990);
  for (let n = 0; n < 5_000; n++) expect(table.has(path(n))).toBe(true);
  let others = 0;
  for (let n = 5_000; n < 25_000; n++) if (table.has(path(n))) others += 1;
  expect(others).toBeLessThan(5);
});

it('forgets the names that were not used since a day', () => {
  const table = new NameTable();
  table.day = 10;
  for (let n = 0; n < 100; n++) table.add(path(n));
  table.day = 11;
  for (let n = 0; n < 10; n++) table.has(path(n));
  table.forgetBefore(11);
  expect(table.size).toBe(10);
  expect(Array.from({ length: 100 }, (_, n) => table.has(path(n))).filter(Boolean)).toHaveLength(10);
});

it('paths with the same names in another order are different', () => {
  const [a, b] = [hashName('a'), hashName('b')];
  expect(hashPath(hashPath(0, a), b)).not.toBe(hashPath(hashPath(0, b), a));
});
