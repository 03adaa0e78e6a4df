import { type SourceUsage } from '@sluice/sources';
import { expect, it } from 'vitest';
import { UsageBook } from './usage-book.js';
import { UtcDay } from './utc-day.js';

const hourMs = 3_600_000;

function aBook() {
  const time = { ms: Date.parse('2026-01-31T12:00:00Z') };
  const book = new UsageBook(new UtcDay({ wall: () => time.ms, steady: () => time.ms }));
  return { book, pass: (hours: number) => (time.ms += hours * hourMs) };
}
const usage = (change: Partial<SourceUsage>): SourceUsage => ({
  sourceIdentifier: 's',
  instance: 'i',
  gateway: 'g',
  requests: 0,
  day: '2026-01-31',
  messages: 0,
  ...change,
});

const events = (count: number) => ({ events: count, people: 0 });

function taken(book: UsageBook, source: string, messages: number): void {
  book.reserve(source, events(messages));
  book.countDurable(source, events(messages));
}

const eventsToday = (book: UsageBook, source = 's'): number => book.messagesToday(source, 'events');

it('counts messages from when they are reserved, and no longer when they are given back', () => {
  const { book } = aBook();
  book.reserve('s', events(5));
  book.reserve('s', events(7));
  expect(eventsToday(book)).toBe(12);
  book.giveBack('s', events(5));
  expect(eventsToday(book)).toBe(7);
  book.countDurable('s', events(7));
  expect(eventsToday(book)).toBe(7);
  expect(book.takeChanges(() => true)).toMatchObject([{ messages: 7 }]);
});

it('adds the messages that this process and, on the same day, others have taken', () => {
  const { book } = aBook();
  taken(book, 's', 3);
  book.learn('i:s', usage({ messages: 10 }));
  book.learn('i:s', usage({ messages: 12 }));
  book.learn('j:s', usage({ messages: 5, instance: 'j' }));
  book.learn('k:s', usage({ messages: 100, instance: 'k', day: '2026-01-30' }));
  expect([eventsToday(book), eventsToday(book, 't')]).toEqual([20, 0]);
  book.forget('i:s');
  expect(eventsToday(book)).toBe(8);
});

it('starts a new count at midnight, with the messages of the new day that others have reported', () => {
  const { book, pass } = aBook();
  taken(book, 's', 3);
  book.learn('i:s', usage({ messages: 7, day: '2026-02-01' }));
  expect(eventsToday(book)).toBe(3);
  pass(12);
  expect(eventsToday(book)).toBe(7);
});

it('says how many requests another process has taken since its previous record', () => {
  const { book } = aBook();
  const requests = [40, 45, 45, 3].map((count) => book.learn('i:s', usage({ requests: count })));
  expect(requests).toEqual([0, 5, 0, 0]);
});

it('counts nothing twice when all records are read again', () => {
  const { book } = aBook();
  const records = [
    usage({ requests: 10, messages: 100, day: '2026-01-30' }),
    usage({ requests: 20, messages: 5 }),
    usage({ requests: 20, messages: 9 }),
  ];
  for (const record of records) book.learn('i:s', record);
  expect(records.map((record) => book.learn('i:s', record))).toEqual([0, 0, 0]);
  expect(eventsToday(book)).toBe(9);
});

it('returns a change once, and again when it could not be written', () => {
  const { book } = aBook();
  taken(book, 's', 2);
  book.countRequest('s');
  taken(book, 'free', 9);
  const change = { sourceIdentifier: 's', day: '2026-01-31', requests: 1, messages: 2, people: 0 };
  expect(book.takeChanges((source) => source === 's')).toEqual([change]);
  expect(book.takeChanges(() => true)).toEqual([]);
  book.markUnreported(['s']);
  expect(book.takeChanges(() => true)).toEqual([change]);
});

it('names the processes whose last record is from before yesterday', () => {
  const { book } = aBook();
  book.learn('i:s', usage({ day: '2026-01-29' }));
  book.learn('j:s', usage({ day: '2026-01-30' }));
  expect(book.stale()).toEqual(['i:s']);
});

it('counts people apart from events, here and in other processes', () => {
  const { book } = aBook();
  book.reserve('s', { events: 3, people: 2 });
  book.countDurable('s', { events: 3, people: 2 });
  book.learn('i:s', usage({ messages: 10, people: 20 }));
  book.learn('j:s', usage({ messages: 1, instance: 'j' }));
  expect([eventsToday(book), book.messagesToday('s', 'people')]).toEqual([14, 22]);
  expect(book.takeChanges(() => true)).toMatchObject([{ messages: 3, people: 2 }]);
  book.learn('i:s', usage({ messages: 10, people: 21 }));
  expect(book.messagesToday('s', 'people')).toBe(23);
});
