import { SegmentEvent } from '@sluice/contracts';
import { MessageRules } from '@sluice/messages';
import { expect, it } from 'vitest';
import { type SourceRules } from '../request/accepts.js';
import { shownBody } from './shown-body.js';

const segment: SourceRules = {
  ...{ credentials: true, message: SegmentEvent, batch: true, serversOnly: false, isSegment: true },
  bodyLimit: 524_288,
};
const rules = MessageRules.of({ pii: { 'context.ip': 'drop' }, requireConsent: 'ads' }, () => 'hash');
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
])('thousands of items with a long context take no time, with consent that is %s', (_, ads) => {
  const members = Object.fromEntries(Array.from({ length: 2_400 }, (__, i) => [`k${i}`, 1]));
  const body = { context: { ...members, consent: { ads } }, batch: Array(2_600).fill({ context: {} }) };
  const before = process.cpuUsage();
  const text = shown(body);
  const { user } = process.cpuUsage(before);
  // Reading all items took a second, and made a hundred megabytes of text of those that may be shown.
  expect(user).toBeLessThan(500_000);
  expect(text.length).toBe(ads ? 8_192 : 0);
});
