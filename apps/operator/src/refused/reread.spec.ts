import { MessageRules, moreNames, createRunNames } from '@sluice/messages';
import { expect, it } from 'vitest';
import { rereadMessage } from './reread.js';

const present = { plans: undefined, rules: undefined, names: createRunNames(1_000) };
const keptMessage = {
  source_id: 'AbCdEf123456',
  request_id: '0190e6f1-0000-7000-8000-000000000001',
  received_at: '2026-11-25T10:00:00.000Z',
  message_id: '0190e6f1-0000-8000-8000-000000000002',
  user_agent: '',
  country: '',
};

it.each([
  [{ type: 'page', userId: 'u', name: 'Home' }, 'tracking.track.v1', { event: 'page', properties: { name: 'Home' } }],
  [{ type: 'alias', userId: 'u', previousId: 'a' }, 'tracking.identify.v1', { anonymous_id: 'a' }],
])('reads %j of a client of Segment as a gateway does', (body, topic, row) => {
  const outcome = rereadMessage({ ...keptMessage, kind: 'segment', body: JSON.stringify(body) }, present);
  if (!('message' in outcome)) throw new Error(outcome.why);
  expect(outcome.message).toMatchObject({ topic, key: 'AbCdEf123456:u' });
  expect(JSON.parse(String(outcome.message.value))).toMatchObject({
    user_id: 'u',
    message_id: keptMessage.message_id,
    ...row,
  });
});

it.each([
  ['segment', { type: 'delete' }, /^type: must be one of/],
  ['segment', { type: 'track', userId: 'u' }, /^event: is missing: must be text/],
  ['track', { event: 'a b', userId: 'u' }, /^event: must be/],
] as const)('says why a message of %s is still refused: %j', (kind, body, why) =>
  expect(rereadMessage({ ...keptMessage, kind, body: JSON.stringify(body) }, present)).toEqual({
    why: expect.stringMatching(why) as string,
  }),
);

const rules = MessageRules.forSource(
  { pii: { 'properties.email': 'hash', 'context.ip': 'truncate' }, requireConsent: 'Analytics' },
  (value) => `hash of ${value}`,
);

it.each(['track', 'segment'] as const)('applies the rules of today to a kept message of %s', (kind) => {
  const context = { ip: '203.0.113.77', consent: { Analytics: true } };
  const body = { type: 'track', userId: 'u', event: 'paid', properties: { email: 'e' }, context };
  const outcome = rereadMessage({ ...keptMessage, kind, body: JSON.stringify(body) }, { ...present, rules });
  if (!('message' in outcome)) throw new Error(outcome.why);
  expect(JSON.parse(String(outcome.message.value))).toMatchObject({
    properties: { email: 'hash of e' },
    context: { ip: '203.0.113.0' },
  });
  const denied = { ...body, context: {} };
  expect(rereadMessage({ ...keptMessage, kind, body: JSON.stringify(denied) }, { ...present, rules })).toEqual({
    why: 'context.consent: does not grant what the source requires: the message is not stored',
  });
});

it('keeps names beyond the bound of the run as text', () => {
  const body = { userId: 'u', event: 'e', properties: { a: 1, b: 2 } };
  const outcome = rereadMessage(
    { ...keptMessage, kind: 'track', body: JSON.stringify(body) },
    { ...present, names: createRunNames(1) },
  );
  if (!('message' in outcome)) throw new Error(outcome.why);
  expect(JSON.parse(String(outcome.message.value))).toMatchObject({ properties: { a: 1, [moreNames]: '{"b":2}' } });
});
