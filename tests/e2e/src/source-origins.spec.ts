import { eventually } from '@sluice/testing';
import { beforeAll, expect, it } from 'vitest';
import { type HttpAnswer, operator, post, type SourceCredentials, sync } from './stack.js';

const event = { userId: 'u', event: 'e' };
const forbidden = [403, [{ field: '', message: 'error.sdk.origin.forbidden' }]];

type CreatedSource = SourceCredentials & { origins?: string[] };
let source: CreatedSource;

const sendFrom = (origin: string | undefined, endpoint = 'track?validate=only'): Promise<HttpAnswer> =>
  post(endpoint, event, { source, headers: origin === undefined ? {} : { origin } });
const answerFrom = async (origin: string | undefined): Promise<[number, unknown]> => {
  const { status, body } = await sendFrom(origin);
  return [status, body];
};

beforeAll(async () => {
  const origins = 'https://shop.example,https://*.shop.example,http://localhost:3000';
  const options = ['--name', 'Origins', '--type', 'tracking-api', '--origins', origins];
  source = await operator<CreatedSource>('sources', 'create', ...options);
  await eventually(async () => {
    expect((await sendFrom('https://shop.example')).status).toBe(200);
  });
});

it('shows the origins of a source', async () => {
  const { origins } = await operator<CreatedSource>('sources', 'show', source.sourceIdentifier);
  expect(origins).toEqual(['https://shop.example', 'https://*.shop.example', 'http://localhost:3000']);
});

it.each([undefined, 'https://shop.example', 'https://m.shop.example', 'http://localhost:3000'])(
  'takes a request with the origin %s',
  async (origin) => {
    expect((await sendFrom(origin)).status).toBe(200);
  },
);

it.each([
  'https://evil.example',
  'http://shop.example',
  'https://shop.example:444',
  'null',
  'https://shop.example.evil',
])('refuses a page of %s with an answer that the page can read', async (origin) => {
  const { status, body, headers } = await sendFrom(origin);
  expect([status, body]).toEqual(forbidden);
  expect(headers.get('access-control-allow-origin')).toBe('*');
});

it('refuses such a page for the catalog too', async () => {
  const { status, body } = await sync('general', { id: 'x' }, { source, headers: { origin: 'https://evil.example' } });
  expect([status, body]).toEqual(forbidden);
});

it('says nothing of origins to a client without a valid key', async () => {
  const stranger = { ...source, apiKey: 'x' };
  const { status } = await post('track', event, { source: stranger, headers: { origin: 'https://evil.example' } });
  expect(status).toBe(401);
});

it('a change holds while the gateway runs, and keeps limits and status', async () => {
  const { sourceIdentifier } = source;
  await operator('sources', 'limit', sourceIdentifier, '--daily-quota', '100000');
  await operator('sources', 'restrict', sourceIdentifier, '--origins', 'https://other.example');
  await eventually(async () => {
    expect(await answerFrom('https://shop.example')).toEqual(forbidden);
    expect((await sendFrom('https://other.example')).status).toBe(200);
  });
  const free = await operator('sources', 'restrict', sourceIdentifier, '--origins', 'any');
  expect(free).toMatchObject({ status: 'enabled', limits: { dailyQuota: 100_000 } });
  expect(free).not.toHaveProperty('origins');
  await eventually(async () => {
    expect((await sendFrom('https://evil.example')).status).toBe(200);
  });
});
