import { Report } from '@sluice/messages';
import { expect, it } from 'vitest';
import { type CallbackQuery, clickTarget } from './callback.js';

const read = (query: CallbackQuery) => {
  const report = new Report();
  return { target: clickTarget(query, report), refused: report.problems.map(({ field }) => field) };
};

it.each([
  [{}, {}],
  [{ url: '' }, {}],
  [
    { url: 'myapp://cart', button: '0' },
    { url: 'myapp://cart', button: 0 },
  ],
  [
    { url: '🌹'.repeat(2_048), button: '2' },
    { url: '🌹'.repeat(2_048), button: 2 },
  ],
])('reads the target of a click', (query, target) => expect(read(query)).toEqual({ target, refused: [] }));

it.each([
  [{ button: '3' }, ['button']],
  [{ button: '' }, ['button']],
  [{ button: '01' }, ['button']],
  [{ button: ['0', '1'] }, ['button']],
  [{ url: 'x'.repeat(2_049) }, ['url']],
  [{ url: '🌹'.repeat(2_049) }, ['url']],
  [{ url: ['a', 'b'] }, ['url']],
  [{ url: '\ud800', button: 'x' }, ['button', 'url']],
])('names the parameters that are out of bounds', (query, fields) => expect(read(query).refused).toEqual(fields));
