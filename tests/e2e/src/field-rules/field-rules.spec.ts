import { randomUUID } from 'node:crypto';
import { createKafka } from '@sluice/kafka';
import { eventually } from '@sluice/testing';
import { beforeAll, describe, expect, it } from 'vitest';
import { activate, shopPlan } from '../plans/active-plan.js';
import { createSegmentSource, postSegment, type SegmentSource } from '../segment/write-key.js';
import { type HttpAnswer, local, operator, post, select } from '../stack.js';

const secret = `secret-${randomUUID()}`;
const removed = 'removed by a rule of the source';
const rules = [
  ...['--rule', 'context.ip=truncate', '--rule', 'context.secret=drop', '--rule', 'properties.card.number=drop'],
  ...['--rule', 'traits.secret=drop', '--rule', 'properties.name=drop'],
];

let source: SegmentSource;
beforeAll(async () => {
  source = await createSegmentSource();
  const view = await operator('sources', 'privacy', source.sourceIdentifier, ...rules);
  expect(view).toMatchObject({
    pii: {
      'context.ip': 'truncate',
      'context.secret': 'drop',
      'properties.card.number': 'drop',
      'traits.secret': 'drop',
      'properties.name': 'drop',
    },
  });
  await eventually(async () => {
    const { body } = await send('track?validate=only', aMessage({ context: { secret } }));
    expect(body).toEqual({ status: 'QUEUED', dropped: [{ field: 'context.secret', message: removed }] });
  });
});

const emails = 'toString(traits.email) AS first, toString(context.email) AS second';
const aMessage = (more: object = {}) => ({ userId: 'u', event: 'paid', ...more });
const send = (endpoint: string, body: unknown, headers = {}): Promise<HttpAnswer> =>
  post(endpoint, body, { source, headers });

/** Rows of a request, each once. */
const stored = ({ headers }: HttpAnswer, columns: string, table = 'events') =>
  eventually(async () => {
    const query = `SELECT DISTINCT ${columns} FROM ${table} WHERE request_id = {id:UUID} ORDER BY ALL`;
    const rows = await select(query, { id: headers.get('x-request-id') });
    expect(rows).not.toEqual([]);
    return rows;
  });

it('a message is stored as the rules leave it, and the answer names what was dropped', async () => {
  const sent = aMessage({
    properties: { card: [{ number: secret, brand: 'v' }], total: 1 },
    context: { ip: '203.0.113.77', secret, locale: 'de' },
  });
  const answer = await send('track', sent);
  expect(answer.body).toEqual({
    status: 'QUEUED',
    dropped: [
      { field: 'properties.card[0].number', message: removed },
      { field: 'context.secret', message: removed },
    ],
  });
  expect(await stored(answer, 'properties, context')).toEqual([
    { properties: { card: [{ brand: 'v' }], total: 1 }, context: { ip: '203.0.113.0', locale: 'de' } },
  ]);
  const identified = await send('identifyBatch', { list: [{ userId: 'u', traits: { secret, plan: 'pro' } }] });
  expect(identified.body).toEqual({
    status: 'QUEUED',
    dropped: [{ field: 'list[0].traits.secret', message: removed }],
  });
  expect(await stored(identified, 'traits', 'identifies')).toEqual([{ traits: { plan: 'pro' } }]);
});

it('a hash is the same for equal values of a source, and needs the key of the installation', async () => {
  const sources = [source, await createSegmentSource()];
  for (const { sourceIdentifier } of sources)
    expect(
      await operator('sources', 'privacy', sourceIdentifier, '--rule', 'traits.email=hash', 'context.email=hash'),
    ).toMatchObject({ pii: { 'traits.email': 'hash', 'context.email': 'hash' } });
  const email = `${randomUUID()}@shop.example`;
  const hashes = await Promise.all(
    sources.map(async (fieldSource) => {
      const message = { userId: 'u', traits: { email }, context: { email } };
      await eventually(async () => {
        const answer = await post('identify', message, { source: fieldSource });
        const [row] = await stored(answer, emails, 'identifies');
        expect(row?.['first']).not.toBe(email);
      });
      const answer = await post('identify', message, { source: fieldSource });
      expect(answer.body).toEqual({ status: 'QUEUED' });
      const [row] = await stored(answer, emails, 'identifies');
      expect(row?.['first']).toMatch(/^[\w-]{22}$/);
      expect(row?.['second']).toBe(row?.['first']);
      return row?.['first'];
    }),
  );
  expect(hashes[0]).not.toBe(hashes[1]);
});

it('the same rules apply to calls of clients of Segment, by the fields that they become', async () => {
  const batch = [
    { type: 'track', event: 'paid', userId: 'u', properties: { 'card.number': secret, total: 1 } },
    { type: 'page', userId: 'u', name: secret, category: 'c' },
  ];
  const answer = await postSegment('batch', { batch, context: { ip: '2001:db8:7:7::79', secret } }, { source });
  const dropped = [
    ...['batch[0].properties.card.number', 'batch[0].context.secret'],
    ...['batch[1].properties.name', 'batch[1].context.secret'],
  ].map((field) => ({ field, message: removed }));
  expect((answer.body as { dropped: unknown[] }).dropped).toHaveLength(dropped.length);
  expect(answer.body).toEqual({ success: true, dropped: expect.arrayContaining(dropped) as unknown });
  expect(await stored(answer, 'event, properties, context')).toEqual([
    { event: 'page', properties: { category: 'c' }, context: { ip: '2001:db8:7::' } },
    { event: 'paid', properties: { total: 1 }, context: { ip: '2001:db8:7::' } },
  ]);
});

describe('what is refused', () => {
  it('is a sample without the fields, and without its body if that is not JSON', async () => {
    const wrong = { event: 'nobody', context: { secret }, properties: { card: { number: secret } } };
    const answers = [await send('track', wrong), await send('trackBatch', { list: [aMessage(), wrong] })];
    const broken = await send('track', `{"event":"${secret}`);
    expect([...answers, broken].map(({ status }) => status)).toEqual([400, 400, 400]);
    const [single, many, none] = await Promise.all(
      [...answers, broken].map((answer) => stored(answer, 'body', 'refused_requests')),
    );
    expect(single).toEqual([{ body: '{"event":"nobody","context":{},"properties":{"card":{}}}' }]);
    expect(many).toEqual([
      {
        body: '{"list":[{"userId":"u","event":"paid"},{"event":"nobody","context":{},"properties":{"card":{}}}]}',
      },
    ]);
    expect(none).toEqual([{ body: '' }]);
  });

  it('by a plan is kept as the rules leave it, and so is an invalid call of Segment', async () => {
    const planned = await createSegmentSource();
    const { sourceIdentifier } = planned;
    await operator('sources', 'privacy', sourceIdentifier, ...rules);
    const kafka = createKafka({ KAFKA_BROKERS: local().kafka.brokers }, 'test');
    await activate(kafka, { source: sourceIdentifier, plan: shopPlan(sourceIdentifier, 1), mode: 'refuse' });
    const message = { userId: 'u', event: 'misspelt', context: { secret, ip: '203.0.113.77' } };
    await eventually(async () =>
      expect((await post('track?validate=only', message, { source: planned })).status).toBe(400),
    );
    const refused = await post('track', message, { source: planned });
    expect(await stored(refused, 'body', 'refused_messages')).toEqual([
      { body: '{"userId":"u","event":"misspelt","context":{"ip":"203.0.113.0"}}' },
    ]);
    const batch = [{ type: 'hum', userId: 'u', name: secret, context: { secret, traits: { secret } } }];
    const unknown = await postSegment('batch', { batch }, { source: planned });
    expect(await stored(unknown, 'body', 'refused_messages')).toEqual([
      { body: '{"type":"hum","userId":"u","context":{"traits":{}}}' },
    ]);
  });
});

describe('a source that requires consent', () => {
  const granted = { consent: { categoryPreferences: { Analytics: true } } };
  const denied = { consent: { categoryPreferences: { Analytics: false } } };
  const notStored = 'does not grant what the source requires: the message is not stored';
  let strict: SegmentSource;

  beforeAll(async () => {
    strict = await createSegmentSource('web-sdk');
    const view = await operator('sources', 'privacy', strict.sourceIdentifier, '--require-consent', 'Analytics');
    expect(view).toMatchObject({ requireConsent: 'Analytics' });
    await eventually(async () => {
      const { body } = await post('track?validate=only', aMessage(), { source: strict });
      expect(body).toEqual({ status: 'QUEUED', dropped: [{ field: 'context.consent', message: notStored }] });
    });
  });

  const countRows = async (userId: string): Promise<number> => {
    const tables = ['events', 'identifies', 'refused_messages'];
    const query = tables.map(
      (table) => `SELECT count() AS n FROM ${table} WHERE source_id = {s:String} AND user_id = {userId:String}`,
    );
    const [row] = await select(`SELECT sum(n) AS n FROM (${query.join(' UNION ALL ')})`, {
      s: strict.sourceIdentifier,
      userId,
    });
    return Number(row?.['n']);
  };

  it('stores the messages of a batch that grant it, and counts the others', async () => {
    const [yes, no] = [randomUUID(), randomUUID()];
    const list = [
      aMessage({ userId: no }),
      aMessage({ userId: yes, context: granted }),
      aMessage({ userId: no, context: denied }),
    ];
    const answer = await post('trackBatch', { list }, { source: strict });
    const dropped = [0, 2].map((i) => ({ field: `list[${i}].context.consent`, message: notStored }));
    expect([answer.status, answer.body]).toEqual([200, { status: 'QUEUED', dropped }]);
    const batch = [
      { type: 'identify', userId: no, traits: { plan: 'pro' } },
      { type: 'hum', userId: no },
      { type: 'track', event: 'paid', userId: yes, context: granted },
    ];
    const segment = await postSegment('batch', { batch, context: denied }, { source: strict });
    expect(segment.body).toMatchObject({
      success: true,
      dropped: [{ field: 'batch[0].context.consent', message: notStored }],
      rejected: [{ field: 'batch[1].type' }],
    });
    await eventually(async () => expect(await countRows(yes)).toBe(2));
    expect(await countRows(no)).toBe(0);
    const metrics = await (await fetch(`${local().gateway.managementUrl}/metrics`)).text();
    const line = new RegExp(`without_consent_total{source="${strict.sourceIdentifier}"} (\\d+)`).exec(metrics);
    expect(line?.[1]).toBe('3');
  });

  it('still refuses an invalid message, and its sample has no body', async () => {
    const refused = await post('track', { event: 'nobody', context: denied }, { source: strict });
    expect(refused.status).toBe(400);
    expect(await stored(refused, 'body', 'refused_requests')).toEqual([{ body: '' }]);
  });

  it('stores all again when it requires nothing', async () => {
    const view = await operator('sources', 'privacy', strict.sourceIdentifier, '--require-consent', 'none');
    expect(view).not.toHaveProperty('requireConsent');
    const userId = randomUUID();
    await eventually(async () => {
      const { body } = await post('track', aMessage({ userId }), { source: strict });
      expect(body).toEqual({ status: 'QUEUED' });
    });
    await eventually(async () => expect(await countRows(userId)).toBeGreaterThan(0));
  });
});
