import { expect, it } from 'vitest';
import { isPlaceholderId, placeholderIds } from './placeholder-ids.js';

const zeros = [
  '0',
  '00',
  '0.0',
  '-',
  '_',
  '',
  ' ',
  '00000000-0000-0000-0000-000000000000',
  '00:00:00:00:00:00',
  '0.0.0.0',
];

it.each([...placeholderIds, ...zeros, 'Undefined', 'NULL', 'NaN', '[object Object]', 'None', 'Nil'])(
  'nobody has the id %j',
  (id) => {
    expect(isPlaceholderId(id)).toBe(true);
  },
);

// PostHog refuses these as ids of a person.
it.each(['anonymous', 'guest', 'distinctid', 'distinct_id', 'id', 'not_authenticated', 'email', 'undefined', 'true'])(
  'PostHog refuses %s, too',
  (id) => {
    expect(isPlaceholderId(id.toUpperCase())).toBe(true);
  },
);

it.each([
  '1',
  '10',
  '0a',
  'u-0',
  'guest-1',
  'undefined1',
  'nullable',
  'nanette',
  'ada@example.com',
  '\u212Anown',
  'unknown\u0301',
])('someone may have the id %j', (id) => {
  expect(isPlaceholderId(id)).toBe(false);
});
