import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { eventually, findSqlExamples } from '@sluice/testing';
import { expect, it } from 'vitest';
import { type HttpAnswer, post, select } from './stack.js';

// docs/api.md#time-of-sending, on every path of the Tracking API.

const [first, second] = ['2026-01-31T12:00:02.000Z', '2026-01-31T12:01:32.000Z'];
const prefer = (time: string, ...more: string[]) => ({
  prefer: [...more, `sent-at=${Date.parse(time)}`].join(', '),
});

const readTimes = (userId: string, table: string) =>
  eventually(async () => {
    const rows = await select(
      `SELECT toString(context.sent_at) AS time FROM ${table} FINAL WHERE user_id = {userId:String} ORDER BY time`,
      { userId },
    );
    expect(rows).not.toEqual([]);
    return rows.map(({ time }) => time);
  });

type Send = (message: object, headers: Record<string, string>) => Promise<HttpAnswer>;
const paths: [string, string, Send][] = [
  ['track', 'events', (message, headers) => post('track', { event: 'e', ...message }, { headers })],
  ['identify', 'identifies', (message, headers) => post('identify', message, { headers })],
  [
    'trackBatch',
    'events',
    (message, headers) => post('trackBatch', { list: [{ event: 'e', ...message }] }, { headers }),
  ],
  ['identifyBatch', 'identifies', (message, headers) => post('identifyBatch', { list: [message] }, { headers })],
];

it.each(paths)('%s stores when it was sent, once for a repeat that is sent later', async (_, table, send) => {
  const userId = randomUUID();
  const key = { 'idempotency-key': randomUUID() };
  const message = { userId, timestamp: '2026-01-31T12:00:00Z', context: { locale: 'de' } };
  for (const time of [first, second]) {
    const answer = await send(message, { ...key, ...prefer(time, 'handling=lenient') });
    expect([answer.status, answer.body]).toEqual([200, { status: 'QUEUED' }]);
  }
  const later = { ...message, context: undefined };
  expect((await send(later, prefer(second))).status).toBe(200);
  await eventually(async () => {
    expect(await readTimes(userId, table)).toEqual([first, second]);
  });
});

it.each(paths)('%s keeps the time that a message has, and names one that is not a time', async (_, table, send) => {
  const userId = randomUUID();
  const relayed = await send({ userId, context: { sent_at: 'of the relay' } }, prefer(first));
  expect(relayed.body).toEqual({ status: 'QUEUED' });
  expect(await readTimes(userId, table)).toEqual(['of the relay']);
  const bad = await send({ userId }, { prefer: 'handling=lenient, sent-at=today' });
  expect(bad).toMatchObject({ status: 200, body: { dropped: [{ field: 'Prefer' }] } });
});

it('the query of the page finds a clock that is three days ahead, and the time by the clock of the service', async () => {
  const page = readFileSync(new URL('../../../docs/api.md', import.meta.url), 'utf8');
  const query = findSqlExamples(page).find((example) => example.includes('sent_at')) ?? '';
  const event = `clock_${randomUUID().slice(0, 8)}`;
  const threeDays = 3 * 86_400_000;
  const now = Date.now();
  for (const [error, waited] of [
    [threeDays, 0],
    [0, threeDays],
  ] as const) {
    const timestamp = new Date(now + error - waited).toISOString();
    await post('track', { userId: 'u', event, timestamp }, { headers: prefer(new Date(now + error).toISOString()) });
  }
  await eventually(async () => {
    const rows = await select(`SELECT time FROM (${query}) WHERE event = {event:String}`, { event });
    expect(rows).toHaveLength(1);
    // Whole seconds, and the way to the gateway.
    expect(Math.abs(Date.parse(`${String(rows[0]?.['time']).replace(' ', 'T')}Z`) - now)).toBeLessThan(60_000);
  });
});
