import { randomUUID } from 'node:crypto';
import { createClickHouse, migrate } from '@sluice/clickhouse';
import { type Operation } from '@sluice/console-api';
import { operations } from '@sluice/console-api/document';
import { header, identifyTopic, sellerTopic, trackTopic } from '@sluice/contracts';
import { createKafka, ensureTopics, Sender } from '@sluice/kafka';
import { findMigrations } from '@sluice/operations';
import { SourceReader } from '@sluice/sources';
import { eventually } from '@sluice/testing';
import { afterAll, beforeAll, expect, inject, it, vi } from 'vitest';
import { LiveMessage } from '../live/live-filter.js';
import { type TestConsole } from '../test-console.spec-support.js';
import { Payloads } from './payloads.js';

// Own topics: the dead letter must not be among those of other specs.
vi.hoisted(() => {
  process.env['TOPIC_PREFIX'] = `masked${process.pid}.`;
});
const { TestConsole: Site } = await import('../test-console.spec-support.js');

/* Everything that clients sent is masked in every answer to a reader without the permission to see payloads. */

const config = {
  CLICKHOUSE_URL: inject('clickhouseUrl'),
  CLICKHOUSE_DATABASE: `masked_${randomUUID().replaceAll('-', '')}`,
  CLICKHOUSE_USER: 'default',
  CLICKHOUSE_PASSWORD: '',
};
const clickhouse = createClickHouse(config);
const kafkaConfig = { KAFKA_BROKERS: inject('kafkaBrokers'), TOPIC_PARTITIONS: 1, TOPIC_REPLICATION_FACTOR: 1 };
const kafka = createKafka(kafkaConfig, 'test');
const now = Date.now();
const mark = `quokka${randomUUID().slice(0, 8)}`;
const email = `${mark}@shop.example`;
const requestId = newId();
const requestOfRefused = newId();
const letterRequest = newId();
/** Names and values that are masked, wherever clients put them. */
const personal = {
  customerFullName: mark,
  ssn: mark,
  pwd: mark,
  client_ip: mark,
  note: `write to ${email}`,
  raw: JSON.stringify({ surname: mark }),
  [email]: 1,
};
let site: TestConsole;
let source = '';
let cookies: string[] = [];
let letter = '';
let change = '';

/** A UUID of version 7, as request ids are. */
function newId(): string {
  const hex = now.toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7${randomUUID().slice(15)}`;
}

const base = (request: string) => ({
  ...{ source_id: source, message_id: randomUUID(), request_id: request, timestamp: now, received_at: now },
  ...{ kafka_partition: 0, kafka_offset: 1, kafka_timestamp: now },
});

beforeAll(async () => {
  await migrate(config, await findMigrations());
  site = await Site.start({ CLICKHOUSE_DATABASE: config.CLICKHOUSE_DATABASE });
  const { cookie: editor } = await site.signIn('editor');
  const created = await site.ask('POST', '/api/sources', { cookie: editor, body: { name: 'S', type: 'tracking-api' } });
  source = created.json<{ source: { sourceIdentifier: string } }>().source.sourceIdentifier;
  const people = { user_id: email, anonymous_id: email };
  const put = (table: string, values: object) => clickhouse.insert({ table, values: [values], format: 'JSONEachRow' });
  const event = { event: email, plan_version: 1, violations: [`unknown:properties.${email}`] };
  await put('events', { ...base(requestId), ...people, ...event, properties: personal, context: personal });
  await put('identifies', { ...base(requestId), ...people, traits: { ...personal, name: mark }, context: personal });
  await put('sellers', { ...base(requestId), seller_id: email, first_name: mark, email, phone_number: mark });
  await put('sellers', { ...base(requestId), seller_id: 's-1', version: now * 1_000, first_name: mark, address: mark });
  await put('products', { ...base(requestId), product_id: 'p-1', version: now * 1_000, name: email });
  await put('refused_messages', {
    ...base(requestId),
    ...people,
    kind: 'track',
    event: email,
    body: JSON.stringify(personal),
  });
  const changed = { kind: 'type', family: 'type', property: email, type: 'text', since: `host ${email}` };
  await put('event_changes', {
    source_id: source,
    event: email,
    ...changed,
    began: Math.floor(now / 1_000),
    found: Math.floor(now / 1_000),
  });
  const offer = { product_id: email, seller_id: email, price: '5' };
  await put('product_variants', { ...base(requestId), variant_id: 'v-1', version: now * 1_000, ...offer });
  await put('product_variants', { ...base(requestId), variant_id: email, version: now * 1_000, ...offer });
  const problems = JSON.stringify([{ field: email, message: `'${email}' is wrong` }]);
  const refused = {
    kind: 'refused',
    reason: 'error.request.invalid',
    method: 'POST',
    status: 400,
    requests: 1,
    problems,
  };
  await put('refused_requests', {
    ...{ ...base(requestOfRefused), ...refused, route: `/x/${email}`, body: JSON.stringify(personal) },
    user_agent: email,
  });
  const topic = `${trackTopic.name}.dlq`;
  await ensureTopics(kafka, kafkaConfig, [trackTopic]);
  const sender = new Sender(kafka, [topic]);
  await sender.start();
  const value = JSON.stringify({ source_id: source, ...people, event: email, properties: personal });
  const letterHeaders = {
    reason: `refused ${email}`,
    topic: trackTopic.name,
    partition: '0',
    offset: '7',
    timestamp: String(now),
  };
  const headers = {
    ...{ [header.requestId]: letterRequest, 'x-own': email },
    ...Object.fromEntries(Object.entries(letterHeaders).map(([name, text]) => [`dead-letter-${name}`, text])),
  };
  await sender.send([{ topic, key: `${source}:${email}`, value, headers }]);
  await sender.stop();
  cookies = [(await site.signIn('viewer')).cookie, (await site.signIn('admin')).cookie];
  const watched = await site.ask('GET', '/api/watch', { cookie: cookies[0] ?? '' });
  change = watched.json<{ changes: { id: string }[] }>().changes[0]?.id ?? '';
  await eventually(async () => {
    const { body } = await site.ask('GET', '/api/dead-letters?limit=200', { cookie: cookies[0] ?? '' });
    const { letters } = JSON.parse(body) as { letters: { id: string; key: string }[] };
    letter = letters.find(({ key }) => key.startsWith(`${source}:`))?.id ?? '';
    expect(letter).not.toBe('');
  });
}, 90_000);
afterAll(async () => {
  await site.stop();
  await clickhouse.command({ query: `DROP DATABASE ${config.CLICKHOUSE_DATABASE}` });
  await clickhouse.close();
});

/** The addresses at which an operation is asked. */
const asked = (): Partial<Record<Operation, readonly string[]>> => ({
  'GET /api/status': ['/api/status'],
  'GET /api/overview': ['/api/overview'],
  'GET /api/events': [
    '/api/events',
    `/api/events?source=${source}`,
    '/api/events?text=note',
    `/api/events?text=${mark}`,
  ],
  'GET /api/events/:id': [trackTopic, identifyTopic, sellerTopic]
    .map(({ name }) => `${name}:0:1`)
    .map((id) => `/api/events/${id}`),
  'GET /api/search': [`/api/search?q=${mark.slice(0, 8)}`],
  'GET /api/requests/:id': [requestId, requestOfRefused, letterRequest].flatMap((id) => [
    `/api/requests/${id}`,
    `/api/requests/${id}?search=tables`,
  ]),
  'GET /api/refused': ['/api/refused', `/api/refused?source=${source}`],
  'GET /api/refused/:id': [`/api/refused/${requestOfRefused}`],
  'GET /api/sources': ['/api/sources'],
  'GET /api/sources/:id': [`/api/sources/${source}`],
  'GET /api/sources/:id/arrivals': [`/api/sources/${source}/arrivals?since=${new Date(now - 60_000).toISOString()}`],
  'GET /api/sources/:id/plans/violations': [`/api/sources/${source}/plans/violations`],
  'GET /api/sources/:id/plans/coverage': [`/api/sources/${source}/plans/coverage`],
  'GET /api/dead-letters': ['/api/dead-letters', '/api/dead-letters?limit=200'],
  'GET /api/dead-letters/:id': [`/api/dead-letters/${letter}`],
  'GET /api/watch': ['/api/watch', `/api/watch?source=${source}`],
  'GET /api/watch/:id': [`/api/watch/${change}`],
  'GET /api/catalog': ['/api/catalog', `/api/catalog?source=${source}`],
  'GET /api/catalog/issues': [`/api/catalog/issues?catalog=${source}`],
  'GET /api/catalog/states': ['seller', 'product'].map(
    (kind) => `/api/catalog/states?catalog=${source}&kind=${kind}&id=${kind === 'seller' ? 's-1' : 'p-1'}`,
  ),
  'GET /api/catalog/history': [`/api/catalog/history?catalog=${source}&variant=v-1`],
  'GET /api/views': ['/api/views'],
  'GET /api/audit': ['/api/audit'],
  'GET /api/audit/export': ['/api/audit/export'],
});

/** Operations whose answers hold nothing that a client sent, with the reason, and those that other specs ask. */
const others: Partial<Record<Operation, string>> = {
  'GET /api/session': 'the reader',
  'GET /api/session/oidc': 'a redirect',
  'GET /api/session/oidc/callback': 'a redirect',
  'GET /api/now': 'a stream of GET /api/status: now-streams.spec.ts',
  'GET /api/canary': 'numbers, and random names of series',
  'GET /api/live': 'a stream of LiveMessage: below, and viewer.spec.ts',
  'GET /api/sources/:id/settings': 'settings of the source',
  'GET /api/sources/:id/plans': 'versions of plans',
  'GET /api/sources/:id/plans/comparison': 'names of plans; values of enums are masked: plan-versions.int.spec.ts',
  'GET /api/sources/:id/plans/versions/:version': 'names of the plan, and numbers',
  'GET /api/sources/:id/plans/versions/:version/properties': 'values of enums are masked: plan-versions.int.spec.ts',
  'GET /api/sources/:id/plans/versions/:version/file': 'the plan, for editors',
  'GET /api/sources/:id/plans/preview': 'names of the plan, and numbers',
  'GET /api/pipeline/ledger': 'offsets and numbers',
  'GET /api/pipeline/ledger/progress': 'numbers',
  'GET /api/pipeline/ledgers': 'names of topics',
  'GET /api/catalog/imports': 'names of files, and numbers',
  'GET /api/privacy/erasures': 'keyed hashes and numbers: privacy.int.spec.ts',
  'GET /api/users': 'people who use the console',
  'GET /api/masks': 'the masks',
  'GET /api/openapi.json': 'the document',
};

it('names every operation that reads', () => {
  const reads = [...operations.keys()].filter((operation) => operation.startsWith('GET '));
  expect([...Object.keys(asked()), ...Object.keys(others)].toSorted()).toEqual(reads.toSorted());
});

it('no answer shows what is masked', async () => {
  const withData = new Set<string>();
  for (const [operation, urls] of Object.entries(asked())) {
    for (const url of urls) {
      for (const cookie of cookies) {
        const { statusCode, body } = await site.ask('GET', url, { cookie });
        if (statusCode === 403) continue;
        expect([url, statusCode]).toEqual([url, 200]);
        // An answer may repeat the text of its question.
        const answer = url.includes(mark.slice(0, 8)) ? body.replaceAll(/"sql":"(?:[^"\\]|\\.)*"/g, '') : body;
        expect(
          answer.includes(mark),
          `${url} shows it: ${answer.slice(Math.max(0, answer.indexOf(mark) - 200), answer.indexOf(mark) + 50)}`,
        ).toBe(false);
        if (/‹\w+, \d+, [0-9a-f]{4}›/.test(body)) withData.add(operation);
      }
    }
  }
  expect([...withData]).toEqual(
    expect.arrayContaining([
      ...[
        'GET /api/events',
        'GET /api/events/:id',
        'GET /api/requests/:id',
        'GET /api/refused',
        'GET /api/refused/:id',
      ],
      ...['GET /api/watch', 'GET /api/watch/:id', 'GET /api/catalog/issues', 'GET /api/catalog/history'],
      'GET /api/catalog/states',
      ...['GET /api/sources/:id/arrivals', 'GET /api/sources/:id/plans/violations', 'GET /api/dead-letters'],
      'GET /api/dead-letters/:id',
    ]),
  );
});

it('no live row shows what is masked, nor may it be filtered by', async () => {
  const value = Buffer.from(JSON.stringify({ source_id: source, user_id: email, event: email, properties: personal }));
  const at = { topic: trackTopic.name, partition: 0, offset: '1', timestamp: now, key: `${source}:${email}` };
  const message = new LiveMessage({ ...at, value, requestId }, site.app.get(SourceReader).registry);
  const { masked } = site.app.get(Payloads);
  expect(message.rowFor(masked)).not.toContain(mark);
  expect(message.rowFor(masked)).toContain('‹email, ');
  const variant = `/api/catalog/history?catalog=${source}&variant=${encodeURIComponent(email)}`;
  expect((await site.ask('GET', variant, { cookie: cookies[0] ?? '' })).statusCode).toBe(403);
  for (const filter of ['user', 'event']) {
    const url = `/api/live?${filter}=${encodeURIComponent(email)}`;
    expect((await site.ask('GET', url, { cookie: cookies[0] ?? '' })).statusCode).toBe(403);
  }
});
