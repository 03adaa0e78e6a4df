import { expect, it } from 'vitest';
import { Books } from './books.js';

it('counts what is missing by why it may be', () => {
  const books = new Books();
  books.took(0, 'a', [0, 1], 1_000);
  books.took(0, 'a', [2], 2_500);
  books.took(0, 'b', [0], 900, 'full');
  books.took(1, 'c', [0], 2_500);
  books.browserKilled(0, 3_000);
  expect(books.taken).toBe(5);
  expect(books.missing(new Map())).toEqual({ none: 3, young: 1, behind: 0, full: 1, memory: 0 });
  expect(books.missing(new Map([['a', new Set([0, 1, 2, 3])]]))).toEqual({
    none: 1,
    young: 0,
    behind: 0,
    full: 1,
    memory: 0,
  });
});

it('what the browser itself had not written before it was killed is counted apart', () => {
  const books = new Books();
  books.took(0, 'a', [0], 1_000);
  books.took(0, 'a', [1], 3_000);
  books.took(0, 'a', [2], 9_500);
  books.took(1, 'b', [0], 3_000);
  books.controlWritten(0, 2_000);
  books.controlWritten(0, 1_500);
  books.browserKilled(0, 10_000);
  books.browserKilled(1, 10_000);
  expect(books.missing(new Map())).toEqual({ none: 2, young: 1, behind: 1, full: 0, memory: 0 });
});

it('what the browser had not written when the room ended is counted as made without room', () => {
  const books = new Books();
  books.took(0, 'a', [0], 1_000);
  books.took(0, 'a', [1], 2_100);
  books.took(1, 'b', [0], 2_100);
  books.controlWritten(0, 2_000);
  books.filledUp(0);
  books.took(0, 'a', [2], 2_200);
  books.browserKilled(0, 10_000);
  expect(books.missing(new Map())).toEqual({ none: 2, young: 0, behind: 1, full: 1, memory: 0 });
});

it('a reported loss is not counted as a survived storage failure', () => {
  const books = new Books();
  books.lossReported('storage', 0);
  books.lossReported('overflow', 3);
  books.lossReported('overflow', 2);
  expect([...books.reports]).toEqual([['overflow', 5]]);
  expect(books.reported).toBe(5);
});
