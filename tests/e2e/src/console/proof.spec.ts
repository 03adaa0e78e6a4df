import { type CreatedSource, type Journey, type Ledger, type RefusedList, type TryAnswer } from '@sluice/console-api';
import { createClient } from '@clickhouse/client';
import { ConsolePerson } from '@sluice/testing';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { local, operator } from '../stack.js';

const waitMs = { timeout: 60_000, interval: 250 };
const table = createClient({ url: local().clickhouse.url, database: local().clickhouse.database });
const name = `Proof ${Date.now()}`;
let admin: ConsolePerson;
let created: CreatedSource;
/** Test files run sequentially, so all events since this time are of this file. */
let startedAt: Date;

async function send(body: object): Promise<{ status: number; requestId: string }> {
  const { source, apiKey } = created;
  const answer = await fetch(`${local().gateway.url}/api/tracker/sdk/${source.sourceIdentifier}/track`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  await answer.arrayBuffer();
  return { status: answer.status, requestId: answer.headers.get('x-request-id') ?? '' };
}

const ledger = (): Promise<Ledger> =>
  admin.ask('GET', `/api/pipeline/ledger?topic=tracking.track.v1&from=${startedAt.toISOString()}`);

beforeAll(async () => {
  const { link } = await operator<{ link: string }>(
    'console',
    'invite',
    `proof-${Date.now()}`,
    '--role',
    'admin',
    '--payloads',
  );
  admin = await ConsolePerson.enter(local(), link);
  created = await admin.ask<CreatedSource>('POST', '/api/sources', { name, type: 'tracking-api' });
  await vi.waitFor(async () => expect((await send({})).status).toBe(400), waitMs);
  startedAt = new Date();
});
afterAll(() => table.close());

it('shows the whole story of a request, and of a refused one', async () => {
  const { requestId } = await send({ userId: 'u-1', event: 'proved', properties: { note: '<b>‮x' } });
  const story = (): Promise<Journey> => admin.ask('GET', `/api/requests/${requestId}`);
  await expect.poll(async () => (await story()).events.map(({ state }) => state), waitMs).toEqual(['stored']);
  expect((await story()).rows[0]?.json).toContain('<b>‮x');

  const refused = await send({ event: 'not good' });
  const list = (): Promise<RefusedList> => admin.ask('GET', `/api/refused?source=${created.source.sourceIdentifier}`);
  await expect
    .poll(async () => (await list()).samples.map((one) => one.requestId), waitMs)
    .toContain(refused.requestId);
  const [group] = (await list()).groups;
  expect(group).toMatchObject({ reason: 'invalid_fields', kind: 'refused' });
  expect(group?.fields).toContain('event');
  await expect.poll(async () => (await list()).series.counts.some((count) => (count ?? 0) > 0), waitMs).toBe(true);
});

it('keeps more refusals of a source while someone looks at it', { timeout: 60_000 }, async () => {
  const samples = async (): Promise<number> => {
    await Promise.all(Array.from({ length: 8 }, () => send({ event: 'not good' })));
    const path = `/api/refused?source=${created.source.sourceIdentifier}&limit=200`;
    return (await admin.ask<RefusedList>('GET', path)).samples.length;
  };
  // Usually five a minute are kept per source and reason.
  await expect.poll(samples, { timeout: 45_000, interval: 250 }).toBeGreaterThan(20);
});

it('gives the answer of the gateway itself', async () => {
  const tried = await admin.ask<TryAnswer>('POST', '/api/try', { route: 'track', body: '{"event":"not good"}' });

  expect(tried).toMatchObject({ status: 400, wouldPass: false });
  expect(tried.problems.map(({ field }) => field)).toEqual(['event', 'userId']);
});

it('finds a row that was deleted by hand, and one that was stored twice', async () => {
  const sent = await Promise.all([1, 2, 3].map((n) => send({ userId: `u-${n}`, event: 'counted' })));
  const [first, second] = sent.map(({ requestId }) => requestId);
  /** The findings about these requests: erasures of other specs delete rows of the same topic at the same time. */
  const ownFindings = async (): Promise<Ledger['findings']> =>
    (await ledger()).findings.filter(({ requestId }) => sent.some((request) => request.requestId === requestId));
  await expect.poll(ledger, waitMs).toMatchObject({ waiting: '0' });
  expect(await ownFindings()).toEqual([]);

  // Another day changes the row's sorting key, so no merge removes the copy.
  await table.command({
    query: `INSERT INTO events (* EXCEPT (identity, product_ids)) SELECT * EXCEPT (identity, product_ids) REPLACE (timestamp + INTERVAL 1 DAY AS timestamp) FROM events WHERE request_id = '${second ?? ''}'`,
  });
  await table.command({
    query: `ALTER TABLE events DELETE WHERE request_id = '${first ?? ''}'`,
    clickhouse_settings: { mutations_sync: '1' },
  });

  // Until its consumer has confirmed the offset, a message without a row counts as waiting.
  await expect
    .poll(ownFindings, waitMs)
    .toEqual([
      expect.objectContaining({ kind: 'missing', requestId: first, rows: 0 }),
      expect.objectContaining({ kind: 'doubled', requestId: second, rows: 2 }),
    ]);
  expect(await ledger()).toMatchObject({ isWhole: false, doubled: '1' });
});

it('writes down what was done, before and after', async () => {
  interface Action {
    outcome: string;
    operation: string;
    details: string;
  }
  const actions = async (): Promise<Action[]> => {
    const query = `SELECT outcome, operation, details FROM operator_actions WHERE object = '${name}' ORDER BY received_at, outcome DESC`;
    return (await table.query({ query, format: 'JSONEachRow' })).json<Action>();
  };
  await expect.poll(async () => (await actions()).map(({ outcome }) => outcome), waitMs).toEqual(['intended', 'done']);
  expect(JSON.stringify(await actions())).not.toContain(created.apiKey);
});
