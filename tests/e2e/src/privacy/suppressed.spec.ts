import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '@sluice/testing';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { type GatewayProcess, startGatewayProcess } from '../gateway-process.js';
import { startOtlpReceiver } from '../observability/otlp-receiver.js';
import { basicAuthorization } from '../segment/write-key.js';
import { local, operator, post, select, type SourceCredentials } from '../stack.js';

const run = randomUUID().slice(0, 8);
const suppressed = { userId: `jane-${run}`, anonymousId: `jane-browser-${run}` };
const otherPerson = { userId: `john-${run}`, anonymousId: `john-browser-${run}` };
const ids = [...Object.values(suppressed), ...Object.values(otherPerson)];
type Person = Partial<typeof suppressed>;

let source: SourceCredentials;
let fleet: GatewayProcess;
let collector: Awaited<ReturnType<typeof startOtlpReceiver>>;
let folder: string;
let gateways: { url: string; managementUrl: string }[];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-suppressed-'));
  source = await operator<SourceCredentials>('sources', 'create', '--name', 'People', '--type', 'tracking-api');
  await operator('sources', 'segment', source.sourceIdentifier, 'on');
  collector = await startOtlpReceiver();
  fleet = await startGatewayProcess({
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    GATEWAY_WORKERS: '2',
    GATEWAY_DATA_DIR: join(folder, 'gateway'),
    PRIVACY_KEY: local().privacyKey,
    LOG_LEVEL: 'trace',
  });
  gateways = [local().gateway, fleet];
  await eventually(async () => {
    for (const { url } of gateways)
      for (let i = 0; i < 4; i++) expect((await track(url, { userId: 'ready' })).status).toBe(200);
  });
});
afterAll(async () => {
  await fleet.stop();
  collector.stop();
  rmSync(folder, { recursive: true, force: true });
});

interface Answer {
  status: number;
  headers: Record<string, string>;
  body: string;
}

/** Resolves with the answer, without the headers that differ between requests. */
async function send(url: string, path: string, body: unknown): Promise<Answer> {
  const { sourceIdentifier, apiKey } = source;
  const isSegment = path.startsWith('v1/');
  const basic = basicAuthorization({ writeKey: `${sourceIdentifier}_${apiKey}` });
  const response = await fetch(isSegment ? `${url}/${path}` : `${url}/api/tracker/sdk/${sourceIdentifier}/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: isSegment ? basic : `Bearer ${apiKey}` },
    body: JSON.stringify(body),
  });
  const { headers } = response;
  const shownHeaders = [...headers].filter(([name]) => name !== 'x-request-id' && name !== 'date');
  return { status: response.status, headers: Object.fromEntries(shownHeaders), body: await response.text() };
}

const track = (url: string, person: Person, event = 'seen') => send(url, 'track', { ...person, event });

/** Every way in which a message names a person. */
const requests = (person: Person): [path: string, body: unknown][] => [
  ['track', { ...person, event: 'seen' }],
  ['track', { userId: person.userId, event: 'seen' }],
  ['track', { anonymousId: person.anonymousId, event: 'seen' }],
  ['track', { userId: randomUUID(), anonymousId: person.anonymousId, event: 'seen' }],
  ['track?validate=only', { ...person, event: 'seen', unknown: 1 }],
  [
    'trackBatch',
    {
      list: [
        { ...person, event: 'seen' },
        { ...person, event: 'seen', unknown: 1 },
      ],
    },
  ],
  ['identify', { ...person, traits: { name: 'x' } }],
  [
    'track',
    { ...person, event: 'bb_notification_registered', properties: { key: 'k', device_id: `d-${person.userId}` } },
  ],
  ['track', { ...person, event: 'not valid', unknown: 1 }],
  ['v1/track', { ...person, event: 'seen' }],
  [
    'v1/batch',
    {
      batch: [
        { type: 'identify', ...person, traits: {} },
        { type: 'track', ...person },
      ],
    },
  ],
  ['v1/batch', { batch: [{ type: 'alias', userId: randomUUID(), previousId: person.anonymousId }] }],
  // A former id of someone else, the account of a person as a group, and the same in messages that are refused and kept.
  ['v1/alias', { userId: randomUUID(), previousId: person.userId }],
  ['v1/group', { userId: randomUUID(), groupId: person.userId, traits: { plan: 'pro' } }],
  ['identify', { userId: randomUUID(), anonymousId: person.userId, traits: { name: 'x' } }],
  ['v1/batch', { batch: [{ type: 'alias', userId: {}, previousId: person.userId }] }],
  ['v1/batch', { batch: [{ type: 'group', userId: {}, groupId: person.userId }] }],
];

async function metric(url: string, name: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  const values = [...text.matchAll(new RegExp(`^${name}(?:\\{[^}]*\\})? (\\S+)$`, 'gm'))].map(([, value]) =>
    Number(value),
  );
  return values.reduce((sum, value) => sum + value, 0);
}

/** Each table, with the condition for its rows that name a person in another way than by their own ids. */
const message = {
  events: 'properties.groupId::String = {user:String}',
  identifies: 'anonymous_id = {user:String}',
  'users FINAL': 'false',
  'push_devices FINAL': 'false',
  refused_messages: 'position(body, {user:String}) > 0',
};
const tables = Object.keys(message);

/** Counts the source's rows that meet a condition, in each table. */
async function inEachTable(
  count: string,
  condition: (isNamed: string) => string,
  parameters: Record<string, string>,
): Promise<number[]> {
  const counts = await Promise.all(
    Object.entries(message).map(([table, isNamed]) =>
      select<{ n: string }>(
        `SELECT ${count} AS n FROM ${table} WHERE source_id = {source:String} AND (${condition(isNamed)})`,
        { source: source.sourceIdentifier, ...parameters },
      ),
    ),
  );
  return counts.map(([row]) => Number(row?.n));
}

/** Rows of a person in each table. */
const countRows = ({ userId = '', anonymousId = '' }: Person): Promise<number[]> =>
  inEachTable('count()', (isNamed) => `user_id = {user:String} OR anonymous_id = {anonymous:String} OR ${isNamed}`, {
    user: userId,
    anonymous: anonymousId,
  });

interface Changed {
  offset: number;
  changed: { hash: string }[];
}
const change = (operation: 'suppress' | 'unsuppress', by = `ticket-${run}`): Promise<Changed> =>
  operator<Changed>(
    ...['privacy', operation, '--source', source.sourceIdentifier, '--by', by],
    ...['--user', suppressed.userId, '--anonymous', suppressed.anonymousId],
  );

/**
 * Sends messages of other people to each gateway, and waits until every table has them: earlier messages are then
 * stored too. Different consumers fill the tables, and forty people are on every partition of each topic.
 */
async function untilStored(): Promise<void> {
  const mark = `mark-${randomUUID()}-`;
  for (const [index, { url }] of gateways.entries()) {
    const people = Array.from({ length: 40 }, (_, i) => ({ userId: `${mark}${index}-${i}` }));
    const list = people.map((person) => ({
      ...person,
      event: 'bb_notification_registered',
      properties: { key: 'k', device_id: `d-${person.userId}` },
    }));
    expect((await send(url, 'trackBatch', { list })).status).toBe(200);
    // The second call of each person is refused, because it has no event.
    const batch = people.flatMap((person) => [
      { type: 'identify', ...person, traits: { name: 'x' } },
      { type: 'track', ...person },
    ]);
    expect((await send(url, 'v1/batch', { batch })).status).toBe(200);
  }
  await eventually(async () => {
    const people = await inEachTable('uniqExact(user_id)', () => 'startsWith(user_id, {mark:String})', { mark });
    expect(people).toEqual(tables.map(() => 40 * gateways.length));
  }, 30_000);
}

it('stores the messages of both people before the suppression', async () => {
  for (const { url } of gateways) {
    for (const person of [suppressed, otherPerson])
      for (const [path, body] of requests(person)) await send(url, path, body);
  }
  await eventually(async () => {
    const counts = [await countRows(suppressed), await countRows(otherPerson)];
    expect(counts[0]).toEqual(counts[1]);
    for (const count of counts.flat()) expect(count).toBeGreaterThan(0);
  }, 30_000);
});

it('drops all messages of a suppressed person on all workers of all gateways within two seconds', async () => {
  const { offset, changed } = await change('suppress');
  const start = performance.now();
  expect(changed).toHaveLength(2);
  await eventually(async () => {
    for (const { managementUrl } of gateways)
      expect(await metric(managementUrl, 'sluice_privacy_registry_offset')).toBe(offset);
  });
  expect(performance.now() - start).toBeLessThan(2_000);

  await untilStored();
  const before = await countRows(suppressed);
  const otherRows = await countRows(otherPerson);
  for (const { url, managementUrl } of gateways) {
    const dropped = await metric(managementUrl, 'sluice_privacy_suppressed_messages_total');
    for (const [index, [path, body]] of requests(suppressed).entries()) {
      const [likePath, likeBody] = requests(otherPerson)[index] ?? [];
      const [answer, like] = [await send(url, path, body), await send(url, likePath ?? '', likeBody)];
      expect(answer).toEqual(like);
    }
    expect(await metric(managementUrl, 'sluice_privacy_suppressed_messages_total')).toBeGreaterThan(dropped + 10);
  }
  await untilStored();
  expect(await countRows(suppressed)).toEqual(before);
  const [events = 0, identifies = 0, , , refused = 0] = otherRows;
  const [moreEvents, moreIdentifies, , , moreRefused] = await countRows(otherPerson);
  expect(moreEvents).toBe(2 * events);
  expect(moreIdentifies).toBe(2 * identifies);
  expect(moreRefused).toBe(2 * refused);
});

it('drops callbacks and events of notifications that were for the person', async () => {
  const { url } = local().gateway;
  const notificationFor = async ({ userId }: typeof suppressed): Promise<string> => {
    const names = ['--campaign', 'C', '--variation', 'V', '--channel', 'web-push', '--provider', 'fcm'];
    const profileOptions = ['--source', source.sourceIdentifier, '--profile', userId];
    const { token } = await operator<{ token: string }>('push-token', 'mint', ...profileOptions, ...names);
    const events = ['delivered', 'clicked'].map((event) => ({
      ...{ anonymousId: `device-${run}`, event: `bb_notification_${event}` },
      properties: { id: token },
    }));
    for (const route of ['delivered', 'click'])
      expect((await fetch(`${url}/api/tracker/general/${route}?token=${token}`)).status).toBe(200);
    expect((await send(url, 'trackBatch', { list: events })).status).toBe(200);
    return userId;
  };
  const [theirs, otherNotification] = [await notificationFor(suppressed), await notificationFor(otherPerson)];
  const countInteractions = (profile: string) =>
    select('SELECT interaction FROM push_interactions FINAL WHERE profile_id = {profile:String} ORDER BY interaction', {
      profile,
    });
  await eventually(async () => {
    expect(await countInteractions(otherNotification)).toEqual([
      { interaction: 'clicked' },
      { interaction: 'delivered' },
    ]);
  }, 30_000);
  await untilStored();
  expect(await countInteractions(theirs)).toEqual([]);
});

it('keeps no body of a refused request that names the person', async () => {
  const { gateway } = local();
  // A source of its own: only a few samples of each source are kept a minute.
  const { sourceIdentifier, apiKey } = await operator<SourceCredentials>(
    ...['sources', 'create', '--name', 'Refused', '--type', 'tracking-api'],
  );
  const { offset } = await operator<Changed>(
    ...['privacy', 'suppress', '--source', sourceIdentifier, '--user', suppressed.userId],
  );
  await eventually(async () => {
    expect(await metric(gateway.managementUrl, 'sluice_privacy_registry_offset')).toBeGreaterThanOrEqual(offset);
  });
  const refused = async (person: Person): Promise<string> => {
    const { status, headers } = await post('track', { ...person, event: 5 }, { source: { sourceIdentifier, apiKey } });
    expect(status).toBe(400);
    return headers.get('x-request-id') ?? '';
  };
  await eventually(() => refused({ userId: 'ready' }));
  const [theirs, someones] = [await refused(suppressed), await refused(otherPerson)];
  const readBody = async (id: string): Promise<string | undefined> =>
    (await select<{ body: string }>('SELECT body FROM refused_requests WHERE request_id = {id:UUID}', { id }))[0]?.body;
  await eventually(async () => {
    expect((await readBody(someones)) ?? '').toContain(otherPerson.userId);
    expect(await readBody(theirs)).toBe('');
  }, 60_000);
});

it('answers a suppressed person as late as anyone else, because it waits for Kafka', async () => {
  const { url } = fleet;
  const times: Record<'theirs' | 'others', number[]> = { theirs: [], others: [] };
  for (let i = 0; i < 60; i++) {
    for (const [name, person] of [
      ['theirs', suppressed],
      ['others', otherPerson],
    ] as const) {
      const start = performance.now();
      await track(url, person);
      times[name].push(performance.now() - start);
    }
  }
  const median = (values: number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;
  const ratio = median(times.theirs) / median(times.others);
  expect(ratio).toBeGreaterThan(0.6);
  expect(ratio).toBeLessThan(1.67);
});

it('writes no id into the audit, and says who asked', async () => {
  const rows = await eventually(async () => {
    const audit = await select<{ object: string; details: string }>(
      "SELECT object, details FROM operator_actions WHERE operation = 'privacy.suppress' AND object = {source:String}",
      { source: source.sourceIdentifier },
    );
    expect(audit.length).toBeGreaterThan(0);
    return audit;
  }, 30_000);
  for (const { details } of rows) {
    expect(details).toContain(`ticket-${run}`);
    for (const id of ids) expect(details).not.toContain(id);
  }
});

it('stores the person again when the suppression is taken back', async () => {
  const before = await countRows(suppressed);
  const { offset } = await change('unsuppress');
  await eventually(async () => {
    for (const { managementUrl } of gateways)
      expect(await metric(managementUrl, 'sluice_privacy_registry_offset')).toBeGreaterThanOrEqual(offset);
  });
  for (const { url } of gateways) expect((await track(url, suppressed)).status).toBe(200);
  await eventually(async () => {
    expect((await countRows(suppressed))[0]).toBe((before[0] ?? 0) + gateways.length);
  }, 30_000);
});

it('has no id in the logs, metrics and traces of any process', async () => {
  const apps = ['gateway', 'tracking', 'push-interaction', 'catalog', 'console'];
  const logFile = (app: string): string => join(inject('dataDir'), 'logs', `${app}.log`);
  const texts = new Map(apps.map((app) => [app, readFileSync(logFile(app), 'utf8')]));
  texts.set('fleet', fleet.output());
  await eventually(() => expect(collector.spans.length).toBeGreaterThan(50), 30_000);
  texts.set('traces', JSON.stringify(collector.spans));
  const { gateway, tracking, pushInteraction } = local();
  for (const url of [gateway.managementUrl, fleet.managementUrl, tracking.url, pushInteraction.url]) {
    const text = await (await fetch(`${url}/metrics`)).text();
    expect(text).toContain('sluice_privacy_suppressed_ids');
    texts.set(url, text);
  }
  const leaks = [...texts].filter(([, text]) => ids.some((id) => text.includes(id)));
  expect(leaks.map(([name]) => name)).toEqual([]);
});
