import { SegmentEvent } from '@sluice/contracts';
import { MessageRules } from '@sluice/messages';
import { expect, it, vi } from 'vitest';
import { type SourceRules } from '../request/accepts.js';
import { shownBody } from './shown-body.js';

const segment: SourceRules = {
  ...{ credentials: true, message: SegmentEvent, batch: true, serversOnly: false, isSegment: true },
  quotas: ['events'],
  bodyLimit: 524_288,
};
const rules = MessageRules.forSource({ pii: { 'context.ip': 'drop' }, requireConsent: 'ads' }, () => 'hash');
if (!rules) throw new Error('the source has no rules');
const shown = (body: unknown): string => shownBody(Buffer.from(JSON.stringify(body)), segment, rules);

it('each item of a batch is shown with the context of the batch, under the rules of the source', () => {
  const context = { ip: '203.0.113.7', consent: { ads: true } };
  expect(shown({ context, batch: [{ event: 'a' }, { event: 'b', context: { app: 1 } }] })).toBe(
    '{"batch":[{"event":"a","context":{"consent":{"ads":true}}},{"event":"b","context":{"consent":{"ads":true},"app":1}}]}',
  );
});

it.each([
  ['granted', true],
  ['not granted', false],
])('of thousands of items with a long context few are read, with consent that is %s', (_, ads) => {
  const members = Object.fromEntries(Array.from({ length: 2_400 }, (__, i) => [`k${i}`, 1]));
  const body = { context: { ...members, consent: { ads } }, batch: Array(2_600).fill({ context: {} }) };
  const applyToRefused = vi.spyOn(rules, 'applyToRefused').mockClear();
  const text = shown(body);
  // A hundred are read, or as many as fill a sample: reading all took a second, and made a hundred megabytes of text.
  expect(applyToRefused).toHaveBeenCalledTimes(ads ? 1 : 100);
  expect(text.length).toBeLessThanOrEqual(8_192);
  expect(text.length).toBeGreaterThan(ads ? 8_150 : -1);
});

it('a body that is cut ends before a word, of which a key would be a part', () => {
  const key = `AbCdEf123456_${'k-_8'.repeat(11)}`;
  for (let length = 8_140; length < 8_192; length += 4) {
    const body = Buffer.from(`${'"a",'.repeat(length / 4)} "${key}"`);
    expect(shownBody(body, segment, undefined).includes('AbC'), String(length)).toBe(false);
  }
  expect(shownBody(Buffer.from('a short body'), segment, undefined)).toBe('a short body');
  expect(shownBody(Buffer.from('k'.repeat(100_000)), segment, undefined)).toBe('');
});
