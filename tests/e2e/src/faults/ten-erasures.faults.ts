import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createClient } from '@clickhouse/client';
import { eventually, type Local, LocalStack, runOperator } from '@sluice/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { rowsWith } from '../privacy/person-everywhere.js';

// From a fresh `npm start`, with the commands of docs/people.md#erasing-a-person and nothing else.

const people = Array.from({ length: 10 }, (_, index) => `erased-person-${index}`);
const limitMs = 10 * 60_000;

let stack: LocalStack;
let local: Local;

beforeAll(async () => {
  stack = await LocalStack.start();
  local = JSON.parse(readFileSync(join(stack.dataDir, 'local.json'), 'utf8')) as Local;
}, 300_000);
afterAll(() => stack.stop());

async function operator<T>(...args: string[]): Promise<T> {
  const { stdout } = await runOperator([...args, '--json'], { SLUICE_DATA_DIR: stack.dataDir });
  return JSON.parse(stdout) as T;
}

async function send(call: string, body: object): Promise<void> {
  const { gateway, source } = local;
  const answer = await fetch(`${gateway.url}/api/tracker/sdk/${source.sourceIdentifier}/${call}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${source.apiKey}` },
    body: JSON.stringify(body),
  });
  expect(answer.status).toBe(200);
}

async function sendPerson(userId: string): Promise<void> {
  const ids = { userId, anonymousId: `${userId}-browser` };
  await send('identify', { ...ids, traits: { name: userId } });
  await send('trackBatch', { list: Array.from({ length: 10 }, () => ({ ...ids, event: 'seen' })) });
  await send('track', { userId, event: 'bb_notification_registered', properties: { key: 'k', device_id: userId } });
  const names = ['--campaign', 'c', '--variation', 'v', '--channel', 'web-push', '--provider', 'fcm'];
  const { token } = await operator<{ token: string }>(
    ...['push-token', 'mint', '--source', local.source.sourceIdentifier, '--profile', userId, ...names],
  );
  const answer = await fetch(`${local.gateway.url}/api/tracker/general/delivered?token=${token}`);
  expect(answer.status).toBe(200);
}

interface Report {
  state: string;
  reached: Record<string, string>;
}

it('ten people are erased and verified within ten minutes', { timeout: 2 * limitMs }, async () => {
  const client = createClient({ url: local.clickhouse.url, database: local.clickhouse.database });
  for (const person of people) await sendPerson(person);
  const stored = { events: 110, identifies: 10, push_devices: 10, push_interactions: 10, users: 10 };
  await eventually(async () => expect(await rowsWith(client, 'erased-person-')).toMatchObject(stored), 60_000);
  const startedAt = Date.now();

  for (const person of people) {
    const personOptions = ['--source', local.source.sourceIdentifier, '--user', person, '--by', 'ticket-1'];
    await operator('privacy', 'erase', ...personOptions, '--yes');
  }
  await operator('privacy', 'run');

  const reports = await operator<Report[]>('privacy', 'status');
  expect(reports.map(({ state }) => state)).toEqual(people.map(() => 'waiting'));
  const last = Math.max(...reports.map(({ reached }) => Date.parse(reached['verified'] ?? '')));
  console.info(`verified ${Math.round((last - startedAt) / 1_000)} s after the first command`);
  expect(last - startedAt).toBeLessThan(limitMs);
  expect(await rowsWith(client, 'erased-person-')).toEqual({});
  await client.close();
});
