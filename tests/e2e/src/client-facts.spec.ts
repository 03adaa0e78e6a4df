import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { promisify } from 'node:util';
import { eventually } from '@sluice/testing';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { type GatewayProcess, startGatewayProcess } from './gateway-process.js';
import { startOtlpReceiver } from './observability/otlp-receiver.js';
import { type HttpAnswer, operator, post, select, type SourceCredentials } from './stack.js';

const chrome = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Safari/537.36';
const requests = 10_000;
const connections = 20;
/** Headers in which proxies and clients write addresses, and one for the country. */
const addressHeaders = [
  'x-forwarded-for',
  'forwarded',
  'x-real-ip',
  'cf-connecting-ip',
  'true-client-ip',
  'x-client-ip',
  'x-cluster-client-ip',
  'fastly-client-ip',
  'cf-ipcountry',
];

let collector: Awaited<ReturnType<typeof startOtlpReceiver>>;
let gateway: GatewayProcess;
let web: SourceCredentials;
let server: SourceCredentials;

beforeAll(async () => {
  collector = await startOtlpReceiver();
  gateway = await startGatewayProcess({
    LOG_LEVEL: 'trace',
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    GATEWAY_COUNTRY_HEADER: 'CF-IPCountry',
    GATEWAY_PATH_ALIASES: '/a=/api/tracker/sdk,/f=/sdk,/app.js=/sdk/0/sluice.js',
    // Uncompressed, so that a text of a message can be found in Kafka's files.
    KAFKA_COMPRESSION: 'none',
  });
  web = await operator<SourceCredentials>('sources', 'create', '--name', 'Web', '--type', 'web-sdk');
  server = await operator<SourceCredentials>('sources', 'create', '--name', 'Server', '--type', 'tracking-api');
  await eventually(async () => {
    for (const source of [web, server])
      expect((await send('track?validate=only', aMessage(), { source })).status).toBe(200);
  });
});
afterAll(async () => {
  await gateway.stop();
  collector.stop();
});

interface Sending {
  source?: SourceCredentials;
  headers?: Record<string, string>;
}
const aMessage = (more: object = {}) => ({ anonymousId: 'a', event: 'client_facts', ...more });
const send = (endpoint: string, body: unknown, { source = web, headers = {} }: Sending = {}): Promise<HttpAnswer> =>
  post(endpoint, body, { gateway: gateway.url, source, headers });

/** Distinct facts of a request's rows. */
async function storedFacts({ headers }: HttpAnswer, table = 'events'): Promise<unknown[]> {
  const id = headers.get('x-request-id');
  const query = `SELECT DISTINCT user_agent, country FROM ${table} WHERE request_id = {id:UUID}`;
  return eventually(async () => {
    const rows = await select(query, { id });
    expect(rows).not.toEqual([]);
    return rows;
  });
}

it('every message of a request has its user agent and its country', async () => {
  const headers = { 'user-agent': chrome, 'cf-ipcountry': 'de' };
  const facts = [{ user_agent: chrome, country: 'DE' }];
  expect(await storedFacts(await send('track', aMessage(), { headers }))).toEqual(facts);
  expect(await storedFacts(await send('trackBatch', { list: [aMessage(), aMessage()] }, { headers }))).toEqual(facts);
  const identified = await send('identify', { userId: 'u' }, { headers });
  expect(await storedFacts(identified, 'identifies')).toEqual(facts);
});

it.each([
  ['8 KB', 'x'.repeat(8_192), 'x'.repeat(256)],
  ['markup', `<script>alert("1")</script>'"\\`, `<script>alert("1")</script>'"\\`],
  ['a tab', 'a\tb', 'a b'],
])('a user agent of %s is text', async (_, sent, user_agent) => {
  const headers = { 'user-agent': sent, 'cf-ipcountry': 'T1' };
  expect(await storedFacts(await send('track', aMessage(), { headers }))).toEqual([{ user_agent, country: '' }]);
});

it('a server says the user agent of its client in the context; its own header and country are not stored', async () => {
  const headers = { 'user-agent': 'node', 'cf-ipcountry': 'IE' };
  const answer = await send('track', aMessage({ context: { user_agent: chrome } }), { source: server, headers });
  expect(await storedFacts(answer)).toEqual([{ user_agent: chrome, country: '' }]);
  const silent = await send('track', aMessage(), { source: server, headers });
  expect(await storedFacts(silent)).toEqual([{ user_agent: '', country: '' }]);
});

it('a source that drops user agents stores none, from a second after the change, until it keeps them again', async () => {
  const headers = { 'user-agent': chrome, 'cf-ipcountry': 'DE' };
  const stored = async () => storedFacts(await send('track', aMessage(), { headers }));
  const dropped = await operator('sources', 'user-agent', web.sourceIdentifier, 'drop');
  expect(dropped).toMatchObject({ userAgent: 'drop', status: 'enabled' });
  await eventually(async () => expect(await stored()).toEqual([{ user_agent: '', country: 'DE' }]));
  const output = await operator('sources', 'user-agent', web.sourceIdentifier, 'keep');
  expect(output).not.toHaveProperty('userAgent');
  await eventually(async () => expect(await stored()).toEqual([{ user_agent: chrome, country: 'DE' }]));
});

it('no address of a client is in a log, topic, table, trace or metric after 10,000 requests that carry some', async () => {
  // Addresses reserved for documentation, which nothing else on the machine has.
  const addresses = ['198.51.100.77', '203.0.113.78', '2001:db8:7:7::79'];
  const event = `addressed_${randomUUID().slice(0, 8)}`;
  let remaining = requests;
  const statuses = new Map<number, number>();
  const sendSome = async (): Promise<void> => {
    for (let number = remaining--; number > 0; number = remaining--) {
      const address = addresses[number % addresses.length] ?? '';
      const text = number % 2 === 0 ? address : `${address}, 10.0.0.1`;
      const headers = Object.fromEntries(
        addressHeaders.map((name) => [name, name === 'forwarded' ? `for="${text}"` : text]),
      );
      const source = number % 4 === 0 ? server : web;
      // Some are refused, and one in ten names a path that does not exist.
      const body = number % 5 === 0 ? { event } : aMessage({ event });
      const endpoint = number % 10 === 1 ? 'none' : 'track';
      const { status } = await send(endpoint, body, { source, headers: { ...headers, 'user-agent': chrome } });
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
  };
  await Promise.all(Array.from({ length: connections }, sendSome));
  expect([...statuses.keys()].sort()).toEqual([200, 400, 404]);
  await eventually(async () => {
    const [row] = await select('SELECT count() AS stored FROM events WHERE event = {event:String}', { event });
    expect(Number(row?.['stored'])).toBe(statuses.get(200));
  });

  const metrics = await (await fetch(`${gateway.managementUrl}/metrics`)).text();
  const tables = [
    'events',
    'identifies',
    'users',
    'push_devices',
    'push_interactions',
    'refused_requests',
    'ad_requests',
  ];
  const rows = await Promise.all(
    tables.map((table) => select(`SELECT * FROM ${table} WHERE received_at > now() - INTERVAL 1 HOUR`)),
  );
  const texts = { log: gateway.output(), traces: JSON.stringify(collector.spans), metrics, rows: JSON.stringify(rows) };
  for (const [where, text] of Object.entries(texts)) {
    expect(text, where).not.toBe('');
    for (const address of addresses) expect(text.includes(address), `${address} in ${where}`).toBe(false);
  }
  expect(await filesWith(event)).not.toEqual([]);
  for (const address of addresses) expect(await filesWith(address)).toEqual([]);
});

/** Files of the stack (Kafka, ClickHouse, gateways, logs) that contain a text. */
async function filesWith(text: string): Promise<string[]> {
  const grep = promisify(execFile)('grep', [
    '--recursive',
    '--files-with-matches',
    '--fixed-strings',
    text,
    inject('dataDir'),
  ]);
  const { stdout } = await grep.catch((error: unknown) => error as { stdout: string });
  return stdout.split('\n').filter((line) => line !== '');
}

it('a request under an alias is served and counted as one to the real route', async () => {
  const under = (path: string, more: RequestInit = {}) =>
    fetch(`${gateway.url}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${web.apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ list: [aMessage({ event: 'aliased' })] }),
      ...more,
    });
  for (const endpoint of ['trackBatch', 'tb'])
    expect((await under(`/a/${web.sourceIdentifier}/${endpoint}`)).status).toBe(200);
  expect((await under(`/b/${web.sourceIdentifier}/tb`)).status).toBe(404);
  const preflight = await under(`/a/${web.sourceIdentifier}/tb`, { method: 'OPTIONS', body: null });
  expect([preflight.status, preflight.headers.get('access-control-allow-origin')]).toEqual([204, '*']);
  const real = await (await fetch(`${gateway.url}/sdk/0/sluice.js`)).text();
  for (const path of ['/f/0/sluice.js', '/app.js']) {
    const file = await fetch(`${gateway.url}${path}`);
    expect([file.status, await file.text()]).toEqual([200, real]);
  }
  const metrics = await (await fetch(`${gateway.managementUrl}/metrics`)).text();
  expect(metrics).toMatch(/route="\/api\/tracker\/sdk\/:sourceIdentifier\/trackBatch"/);
  expect(metrics).not.toContain('"/a/');
});
