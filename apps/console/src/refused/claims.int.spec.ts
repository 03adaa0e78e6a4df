import { randomUUID } from 'node:crypto';
import { createClickHouse, migrate } from '@sluice/clickhouse';
import { type RefusedList, type SourceDetail, type SourceList } from '@sluice/console-api';
import { findMigrations } from '@sluice/operations';
import { type SourceReader } from '@sluice/sources';
import type {} from '@sluice/testing'; // types of `inject`
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { SourceVerdicts } from '../status/source-verdicts.js';
import { TestConsole } from '../test-console.spec-support.js';

const config = {
  CLICKHOUSE_URL: inject('clickhouseUrl'),
  CLICKHOUSE_DATABASE: `claims_${randomUUID().replaceAll('-', '')}`,
  CLICKHOUSE_USER: 'default',
  CLICKHOUSE_PASSWORD: '',
};
const clickhouse = createClickHouse(config);
const unauthorized = 'error.sdk.authorization.failed';
const origin = 'https://shop.example';
let site: TestConsole;
let cookie: string;
let source: string;

const minute = 60_000;
const row = (ageMs: number, change: object) => ({
  source_id: '',
  kind: 'refused',
  counted: '',
  reason: unauthorized,
  requests: 1,
  problems: '[]',
  message_id: randomUUID(),
  request_id: randomUUID(),
  received_at: Date.now() - ageMs,
  ...change,
});
const count = (source_id: string, counted: string, requests: number, ageMs: number) =>
  row(ageMs, {
    ...(source_id !== '' && { source_id, reason: 'error.sdk.origin.forbidden' }),
    ...{ kind: 'count', counted, requests },
  });
const put = (values: object[]) => clickhouse.insert({ table: 'refused_requests', values, format: 'JSONEachRow' });
const get = async <Answer>(path: string): Promise<Answer> => (await site.ask('GET', path, { cookie })).json<Answer>();

beforeAll(async () => {
  await migrate(config, await findMigrations());
  site = await TestConsole.start({ CLICKHOUSE_DATABASE: config.CLICKHOUSE_DATABASE });
  ({ cookie } = await site.signIn('editor'));
  const body = { name: 'Quiet shop', type: 'web-sdk' };
  const made = await site.ask('POST', '/api/sources', { cookie, body });
  source = made.json<{ source: { sourceIdentifier: string } }>().source.sourceIdentifier;
  await put([
    ...Array.from({ length: 60 }, () => row(minute, { claimed_source: source })),
    row(2 * minute, { source_id: source, reason: 'error.sdk.origin.forbidden', origin }),
    count(source, 'refused', 1, 2 * minute),
    count('', 'refused', 60, minute),
  ]);
}, 60_000);
afterAll(async () => {
  await site.stop();
  await clickhouse.close();
});

it('shows a request without a valid key at the source that it claims, and counts it for nobody', async () => {
  const { groups, samples } = await get<RefusedList>(`/api/refused?source=${source}`);

  expect(groups.map(({ reason, isClaim, count: requests }) => [reason, isClaim, requests])).toEqual([
    ['error.sdk.origin.forbidden', undefined, 1],
    [unauthorized, true, 60],
  ]);
  // Refusals of a proven source stay, however many claims are newer; the origin is there to be added.
  expect(samples.filter(({ claimedSource }) => claimedSource === source)).toHaveLength(20);
  expect(samples.filter(({ claimedSource }) => claimedSource === undefined)).toMatchObject([{ origin }]);
  const { sources } = await get<SourceList>(`/api/sources?q=${source}`);
  expect(sources.find(({ sourceIdentifier }) => sourceIdentifier === source)).toMatchObject({ refusedLastHour: 1 });
  expect((await get<SourceDetail>(`/api/sources/${source}`)).refusals.filter(({ isClaim }) => isClaim)).toHaveLength(1);
});

it('shows claims without a source once: in the group that counts them', async () => {
  const { groups, found, samples } = await get<RefusedList>(`/api/refused?reason=${unauthorized}&limit=1`);

  expect(groups).toMatchObject([{ sourceIdentifier: '', count: 60 }]);
  expect(groups[0]?.claims).toEqual({
    sources: [{ sourceIdentifier: source, sourceName: 'Quiet shop', count: 60 }],
    found: 1,
  });
  expect(found).toEqual({ groups: 1, claims: 0 });
  expect(samples.map(({ claimedName }) => claimedName)).toEqual(Array(20).fill('Quiet shop'));
});

it('names up to three causes of refused credentials, the most frequent first', async () => {
  const reason = 'error.sdk.source.notFound';
  const causes = ['the source is disabled', 'the key is revoked since 2026-02-01T00:00:00.000Z', 'three', 'four'];
  const samplesOf = causes.flatMap((message, index) =>
    Array.from({ length: 4 - index }, () => {
      const problems = JSON.stringify([
        { field: '', message: reason },
        { field: '', message },
      ]);
      return row(minute, { reason, problems });
    }),
  );
  await put(samplesOf);
  const { groups, samples } = await get<RefusedList>(`/api/refused?reason=${reason}`);
  expect(groups[0]?.sentence).toBe(`${causes[0]}; also: ${causes[1]}, or three`);
  expect(samples.map(({ problems }) => problems[1]?.message)).toContain(causes[1]);
});

it('reaches every group and every sample, page by page', async () => {
  const reasons = Array.from({ length: 60 }, (_, i) => `paged_${i}`);
  const received_at = Date.now() - minute;
  await put(
    reasons.flatMap((reason, i) => [
      row(0, { received_at, reason, kind: 'count', counted: 'refused', requests: 1 + i }),
      row(0, { received_at, reason, problems: '[{"field":"userId","message":"must be there"}]' }),
      row(0, { received_at, reason, claimed_source: source }),
    ]),
  );
  const groups: string[] = [];
  for (let skip = 0; skip < reasons.length; skip += 25) {
    const paged = `text=PAGED_&skip=${skip}&groups=25&limit=1`;
    const page = await get<RefusedList>(`/api/refused?${paged}`);
    expect(page.found).toEqual({ groups: reasons.length, claims: 0 });
    expect(page.groups[0]?.sentence).toBe('userId: must be there');
    const claims = await get<RefusedList>(`/api/refused?source=${source}&${paged}`);
    expect(claims.found).toEqual({ groups: 0, claims: reasons.length });
    groups.push(...page.groups.map(({ reason }) => reason), ...claims.groups.map(({ reason }) => `claimed ${reason}`));
  }
  expect(groups.toSorted()).toEqual([...reasons, ...reasons.map((reason) => `claimed ${reason}`)].toSorted());

  const samples: string[] = [];
  let before = '';
  do {
    const page = await get<RefusedList>(`/api/refused?text=paged_&limit=25${before}`);
    samples.push(...page.samples.map(({ requestId }) => requestId));
    before = page.next === null ? '' : `&before=${encodeURIComponent(page.next)}`;
  } while (before !== '');
  expect([samples.length, new Set(samples).size]).toEqual([120, 120]);
  expect((await site.ask('GET', '/api/refused?before=x', { cookie })).statusCode).toBe(400);
});

it('judges a source by what is proven to be its own', async () => {
  const registry = { findEnabled: (id: string) => (id === source ? { name: 'Quiet shop' } : undefined) };
  const tables = {
    select: async <Row>(_user: unknown, query: string): Promise<Row[]> =>
      (await clickhouse.query({ query, format: 'JSONEachRow' })).json<Row>(),
  };
  const judged = () => new SourceVerdicts(tables, { registry } as unknown as SourceReader).read();

  // Gateways are not heard: their counts do not arrive.
  expect(await judged()).toMatchObject({ verdict: 'unknown' });
  await put([count('', 'accepted', 0, 0)]);
  expect(await judged()).toMatchObject({ verdict: 'ok', sources: [] });

  await put([count(source, 'accepted', 1_200, 24 * 60 * minute + 10 * minute)]);
  expect((await judged()).sources).toMatchObject([{ trouble: 'silent', count: 1_200 }]);
  await put([count(source, 'refused', 30, minute)]);
  expect(await judged()).toMatchObject({
    verdict: 'attention',
    summary: 'one source has all of its requests refused',
    sources: [{ sourceIdentifier: source, name: 'Quiet shop', trouble: 'refused', count: 31 }],
  });
  await put([count(source, 'accepted', 1, minute)]);
  expect(await judged()).toMatchObject({ verdict: 'ok', sources: [] });
});
