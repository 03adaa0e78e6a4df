import { type SourceView } from '@sluice/operations';
import { expect, it } from 'vitest';
import { describeSource, listSources } from './source-view.js';

const aSource = (change: Partial<SourceView> = {}): SourceView => ({
  sourceIdentifier: 'AbCdEf123456',
  name: 'Shop',
  type: 'web-sdk',
  status: 'enabled',
  createdAt: '2026-01-01T10:00:00.123Z',
  keys: [
    { keyId: '0a0a0a0a', createdAt: '2026-01-01T10:00:00.124Z', revokedAt: '2026-01-03T00:00:00.000Z' },
    { keyId: '0b0b0b0b', createdAt: '2026-01-02T10:00:00.000Z' },
  ],
  ...change,
});

it('describes a source with all its keys', () =>
  expect(describeSource(aSource())).toBe(
    [
      '  source   AbCdEf123456',
      '  name     Shop',
      '  type     web-sdk',
      '  status   enabled',
      '  created  2026-01-01 10:00:00 UTC',
      '  keys     0a0a0a0a  created 2026-01-01 10:00:00 UTC, revoked 2026-01-03 00:00:00 UTC',
      '           0b0b0b0b  created 2026-01-02 10:00:00 UTC',
    ].join('\n'),
  ));

it('describes the origins of a source, each on a line', () => {
  const text = describeSource(aSource({ origins: ['https://shop.example', 'https://*.shop.example'], keys: [] }));
  expect(text.split('\n').slice(5)).toEqual(['  origins  https://shop.example', '           https://*.shop.example']);
});

it('lists sources in aligned columns, with the number of valid keys', () =>
  expect(listSources([aSource(), aSource({ name: 'A longer name', keys: [] })])).toBe(
    [
      'SOURCE        NAME           TYPE     STATUS   KEYS  CREATED',
      'AbCdEf123456  Shop           web-sdk  enabled  1     2026-01-01 10:00:00 UTC',
      'AbCdEf123456  A longer name  web-sdk  enabled  0     2026-01-01 10:00:00 UTC',
    ].join('\n'),
  ));

it('says how to create the first source', () => expect(listSources([])).toContain('sources create'));
