import { eventually } from '@sluice/testing';
import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { aNotification, type SealedNotification } from './notification.js';
import { type HttpAnswer, local, operator, post, select, type SourceCredentials } from './stack.js';

const queued = { status: 'QUEUED' };

async function callback(name: string, query: Record<string, string>, init: RequestInit = {}): Promise<HttpAnswer> {
  const url = `${local().gateway.url}/api/tracker/general/${name}?${new URLSearchParams(query).toString()}`;
  const response = await fetch(url, { redirect: 'manual', ...init });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text === '' ? undefined : JSON.parse(text) };
}

const readInteractions = async ({ notificationId }: SealedNotification, count: number) =>
  eventually(async () => {
    const rows = await select('SELECT * FROM current_push_interactions WHERE notification_id = {id:String}', {
      id: notificationId,
    });
    expect(rows).toHaveLength(count);
    return rows;
  });

const notificationEvent = (name: string, properties: object, more: object = {}) => ({
  userId: 'u-1',
  event: `bb_notification_${name}`,
  properties,
  ...more,
});

it('records the five callbacks with the attribution of the token, and redirects nobody', async () => {
  const notification = await aNotification();
  const { token } = notification;
  for (const name of ['delivered', 'close', 'failed', 'open']) {
    const { status, body } = await callback(name, { token });
    expect([status, body]).toEqual([200, queued]);
  }
  const clicked = await callback('click', { token, url: 'https://shop.example/ü?a=1&b=2', button: '2' });
  expect([clicked.status, clicked.body]).toEqual([200, queued]);
  expect(clicked.headers.get('cache-control')).toBe('no-store');
  expect(clicked.headers.get('access-control-allow-origin')).toBe('*');

  const rows = await readInteractions(notification, 5);
  expect(rows.map(({ interaction }) => interaction).sort()).toEqual([
    'clicked',
    'closed',
    'delivered',
    'failed',
    'opened',
  ]);
  expect(rows.find(({ interaction }) => interaction === 'clicked')).toMatchObject({
    source_id: notification.source,
    campaign_id: notification.campaign,
    variation_id: 'b',
    profile_id: 'p-1',
    channel: 'web-push',
    provider: 'fcm',
    url: 'https://shop.example/ü?a=1&b=2',
    button: 2,
    request_id: clicked.headers.get('x-request-id'),
    reported_by: ['callback'],
  });
});

it('accepts a token that the operator minted', async () => {
  const source = local().source.sourceIdentifier;
  const attribution = ['--campaign', 'C', '--variation', 'V', '--profile', 'P', '--channel', 'web-push'];
  const mint = ['push-token', 'mint', '--source', source, ...attribution, '--provider', 'fcm'];
  const minted = await operator<{ token: string; notificationId: string }>(...mint);

  expect((await callback('delivered', { token: minted.token })).status).toBe(200);
  const opened = await operator<SealedNotification>('push-token', 'open', minted.token);
  expect(opened).toMatchObject({ notificationId: minted.notificationId, source, campaign: 'C', provider: 'fcm' });
});

it('a bad token, button or url is refused by name and not recorded', async () => {
  const notification = await aNotification();
  const { token } = notification;
  const foreign = await aNotification({}, `local:${randomBytes(32).toString('base64url')}`);
  const long = `https://a/${'x'.repeat(2_039)}`;
  const refused: [string, Record<string, string>, string[]][] = [
    ['delivered', {}, ['token']],
    ['delivered', { token: '' }, ['token']],
    ['delivered', { token: foreign.token }, ['token']],
    ['open', { token: `${token}A` }, ['token']],
    ['close', { token: 'x'.repeat(10_000) }, ['token']],
    ['click', { token, button: '3' }, ['button']],
    ['click', { token, button: '' }, ['button']],
    ['click', { token, url: long }, ['url']],
    ['click', { token: 'x', url: long, button: '-1' }, ['token', 'button', 'url']],
  ];
  for (const [name, query, fields] of refused) {
    const { status, body } = await callback(name, query);
    expect([status, body]).toEqual([400, fields.map((field) => ({ field, message: expect.any(String) as string }))]);
  }
  expect((await callback('delivered', { token, validate: 'only' })).body).toEqual(queued);
  expect((await callback('click', { token, url: long.slice(1) })).status).toBe(200);
  expect(await readInteractions(notification, 1)).toMatchObject([{ interaction: 'clicked' }]);
});

it('HEAD requests and prefetches record nothing', async () => {
  const notification = await aNotification();
  const { token } = notification;
  const head = await callback('delivered', { token }, { method: 'HEAD' });
  expect([head.status, head.headers.get('allow')]).toEqual([405, 'GET, OPTIONS']);
  expect((await callback('delivered', { token }, { method: 'POST' })).status).toBe(405);
  for (const [name, value] of [
    ['sec-purpose', 'prefetch;prerender'],
    ['purpose', 'prefetch'],
  ] as const) {
    const { status, body } = await callback('close', { token }, { headers: { [name]: value } });
    expect([status, body]).toEqual([403, [{ field: '', message: 'error.request.prefetch' }]]);
  }
  await callback('open', { token });
  expect(await readInteractions(notification, 1)).toMatchObject([{ interaction: 'opened' }]);
});

it('a token of a disabled or unknown source is answered with 404', async () => {
  const create = ['sources', 'create', '--name', 'Off', '--type', 'web-sdk'];
  const { sourceIdentifier } = await operator<SourceCredentials>(...create);
  const { token } = await aNotification({ source: sourceIdentifier });
  const becomes = (status: number) =>
    eventually(async () => {
      expect((await callback('delivered', { token })).status).toBe(status);
    });
  await becomes(200);
  await operator('sources', 'disable', sourceIdentifier);
  await becomes(404);
  const unknown = await aNotification({ source: 'unknown00000' });
  expect((await callback('delivered', { token: unknown.token })).body).toEqual([
    { field: '', message: 'error.sdk.source.notFound' },
  ]);
});

it('a push event is stored as an event and as an interaction, which shares one row with its callback', async () => {
  const notification = await aNotification();
  const { token: id, issuedAt } = notification;
  const early = notificationEvent(
    'clicked',
    { id, actionId: 'buy', url: 'https://a/b' },
    { anonymousId: 'a-1', timestamp: '2019-01-01T00:00:00Z' },
  );
  const late = notificationEvent('failed', { id, reason: 'expired' }, { timestamp: '2149-01-01T00:00:00Z' });
  const answer = await post('trackBatch', { list: [early, early, late] });
  await callback('click', { token: id, url: 'https://a/b', button: '1' });

  const rows = await eventually(async () => {
    const interactions = await readInteractions(notification, 2);
    expect(interactions.find(({ interaction }) => interaction === 'clicked')?.['reported_by']).toHaveLength(2);
    return interactions;
  });
  const issued = new Date(Math.floor(issuedAt / 1_000) * 1_000).toISOString();
  expect(rows.find(({ interaction }) => interaction === 'clicked')).toMatchObject({
    user_id: 'u-1',
    anonymous_id: 'a-1',
    action_id: 'buy',
    url: 'https://a/b',
    button: 1,
    // The client's clock is years behind; the time is raised to that of the token.
    occurred_at: issued.replace('T', ' ').replace('Z', ''),
    reported_by: ['callback', 'event'],
  });
  const failed = rows.find(({ interaction }) => interaction === 'failed');
  expect(failed).toMatchObject({ reason: 'expired', button: null });
  // The client's clock is years ahead; the time is lowered to that of the arrival.
  expect(failed?.['occurred_at']).toBe(failed?.['received_at']);

  const events = await eventually(async () => {
    const requestId = answer.headers.get('x-request-id');
    const rows = await select('SELECT event FROM events WHERE request_id = {id:UUID}', { id: requestId });
    expect(rows).toHaveLength(3);
    return rows;
  });
  expect(events).toContainEqual({ event: 'bb_notification_failed' });
});

it('events with a foreign or broken token, or a registration without a key, remain events and are counted', async () => {
  const ours = await aNotification();
  const theirs = await operator<SourceCredentials>('sources', 'create', '--name', 'T', '--type', 'web-sdk');
  const message = notificationEvent('delivered', { id: ours.token });
  await eventually(async () => {
    expect((await post('track', message, { source: theirs })).status).toBe(200);
  });
  const list = [
    notificationEvent('delivered', { id: `${ours.token}x` }),
    notificationEvent('delivered', {}),
    notificationEvent('registered', { key: 'k' }),
    notificationEvent('registered', { key: ' ', device_id: 'd' }),
    notificationEvent('clicked', { id: ours.token }),
  ];
  const answer = await post('trackBatch', { list });
  expect(answer.body).toEqual(queued);

  expect(await readInteractions(ours, 1)).toMatchObject([{ interaction: 'clicked' }]);
  const metrics = await (await fetch(`${local().gateway.managementUrl}/metrics`)).text();
  for (const reason of ['token_not_opened', 'foreign_source', 'registration_incomplete']) {
    expect(metrics).toMatch(new RegExp(`sluice_push_events_without_interaction_total\\{reason="${reason}"\\} [1-9]`));
  }
});

it('a registered device is listed with its latest push token', async () => {
  const device_id = `d-${randomBytes(4).toString('hex')}`;
  const register = (key: string, timestamp: string) =>
    notificationEvent('registered', { key, device_id, sdk: 'ANDROID', package_name: 'shop' }, { timestamp });
  await post('trackBatch', {
    list: [register('new', '2026-02-01T00:00:00Z'), register('old', '2026-01-01T00:00:00Z')],
  });

  await eventually(async () => {
    const where = 'WHERE device_id = {device_id:String}';
    expect(await select(`SELECT key FROM push_devices ${where}`, { device_id })).toHaveLength(2);
    expect(await select(`SELECT * FROM current_push_devices ${where}`, { device_id })).toMatchObject([
      { key: 'new', sdk: 'ANDROID', package_name: 'shop', user_id: 'u-1', registered_at: '2026-02-01 00:00:00.000' },
    ]);
  });
});

it('any text as a token is answered with 200 or 400, never with 5xx', async () => {
  const { token } = await aNotification();
  const parts = token.split('.');
  const queries = Array.from({ length: 400 }, (_, i) => {
    const index = Math.floor(Math.random() * token.length);
    const noise = randomBytes(1 + (i % 60));
    const changed = [
      token.slice(0, index) + encodeURIComponent(noise.toString('latin1')) + token.slice(index + (i % 5)),
      token.slice(0, index),
      [...parts].sort(() => Math.random() - 0.5).join('.'),
      [...noise].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join(''),
      `${token}&token=${token}`,
      `${'.'.repeat(i)}&token[a]=1&__proto__=2`,
    ];
    return changed[i % changed.length] ?? '';
  });
  for (const query of queries) {
    const response = await fetch(`${local().gateway.url}/api/tracker/general/click?token=${query}`);
    await response.text();
    expect([200, 400]).toContain(response.status);
    if (query !== token) expect(response.status).toBe(400);
  }
});
