import { expect, it } from 'vitest';
import { Books } from './books.js';

it('counts what is missing by why it may be', () => {
  const books = new Books();
  books.took(0, 'a', [0, 1], 1_000, false);
  books.took(0, 'a', [2], 2_500, false);
  books.took(0, 'b', [0], 900, true);
  books.took(1, 'c', [0], 2_500, false);
  books.browserKilled(0, 3_000);
  expect(books.taken).toBe(5);
  expect(books.missing(new Map())).toEqual({ none: 3, young: 1, full: 1 });
  expect(books.missing(new Map([['a', new Set([0, 1, 2, 3])]]))).toEqual({ none: 1, young: 0, full: 1 });
});

it('a loss that was reported is no storage failure that was survived', () => {
  const books = new Books();
  books.told('storage', 0);
  books.told('overflow', 3);
  books.told('overflow', 2);
  expect([...books.reports]).toEqual([['overflow', 5]]);
  expect(books.reported).toBe(5);
});
