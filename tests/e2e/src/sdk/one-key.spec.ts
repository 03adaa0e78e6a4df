import { eventually } from '@sluice/testing';
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { createClient } from '@sluice/node';
import { expect, it } from 'vitest';
import { local, select } from '../stack.js';
import { openPage } from './client-page.js';
import { visitor } from './visitor.js';

const visit = visitor();

interface Batch {
  readonly key: string;
  readonly body: string;
}

/** A proxy of the gateway that at first cuts every connection, and records what was sent. */
async function openWay(): Promise<{ url: string; seen: Batch[]; repair: () => void; close: () => void }> {
  const batches: Batch[] = [];
  let isWhole = false;
  const server = createServer((request, answer) => {
    void text(request).then(async (body) => {
      const { authorization = '', 'idempotency-key': key } = request.headers;
      batches.push({ key: String(key), body });
      if (!isWhole) return answer.destroy();
      const headers = { authorization, 'idempotency-key': String(key), 'content-type': 'application/json' };
      const response = await fetch(`${local().gateway.url}${request.url ?? ''}`, { method: 'POST', headers, body });
      return answer.writeHead(response.status).end(await response.text());
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen: batches,
    repair: () => (isWhole = true),
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** Sends a batch with curl. Returns the status. */
async function byCurl({ key, body }: Batch): Promise<string> {
  const { gateway, source } = local();
  const headers = [
    `Authorization: Bearer ${source.apiKey}`,
    'Content-Type: application/json',
    `Idempotency-Key: ${key}`,
  ];
  const { stdout } = await promisify(execFile)('curl', [
    '-s',
    '-o',
    '/dev/null',
    '-w',
    '%{http_code}',
    '--data-binary',
    body,
    ...headers.flatMap((header) => ['-H', header]),
    `${gateway.url}/api/tracker/sdk/${source.sourceIdentifier}/trackBatch`,
  ]);
  return stdout;
}

/** Lets a page of the Web SDK find the batch among those that an earlier page left, and send it. */
async function byPage({ key, body }: Batch): Promise<void> {
  const { gateway, source } = local();
  const { list } = JSON.parse(body) as { list: object[] };
  const head = {
    key,
    host: gateway.url,
    sourceIdentifier: source.sourceIdentifier,
    kind: 'track',
    created: Date.now() - 5_000,
    count: list.length,
    bytes: Buffer.byteLength(body),
    sealed: true,
    tries: 1,
    doubts: 1,
    tooLarge: 0,
    firstTry: Date.now() - 4_000,
    lastTry: Date.now() - 4_000,
    nextTry: 0,
  };
  const entries = {
    [`sluice.b.${key}`]: JSON.stringify(head),
    ...Object.fromEntries(list.map((item, index) => [`sluice.m.${key}.${index}`, JSON.stringify(item)])),
  };
  const page = await visit.context.newPage();
  await page.goto(visit.site.url);
  await page.evaluate((all) => {
    for (const [name, value] of Object.entries(all)) localStorage.setItem(name, value);
  }, entries);
  const sent = visit.context.waitForEvent('requestfinished', (request) => request.url().endsWith('/trackBatch'));
  await openPage(visit.context, visit.site.url);
  const request = await sent;
  expect([request.headers()['idempotency-key'], request.postData()]).toEqual([key, body]);
}

it('a batch that the Node SDK, the Web SDK and curl send with one key is stored once', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'sluice-one-key-'));
  const event = `one_key_${Date.now()}`;
  const way = await openWay();
  const options = { credentials: local().source, apiHost: way.url, storage: { directory } };
  const first = createClient(options);
  for (const number of [1, 2, 3]) first.track(event, { at: number, text: 'ü😀' }, { userId: 'one-key' });
  expect(await first.close()).toEqual({ sent: 0, left: 3 });
  const [batch = { key: '', body: '' }] = way.seen;

  expect(await byCurl(batch)).toBe('200');
  await byPage(batch);
  way.repair();
  const second = createClient(options);
  await eventually(async () => {
    expect(await second.flush()).toMatchObject({ left: 0 });
    expect(way.seen.length).toBeGreaterThan(1);
  });
  await second.close();
  expect(new Set(way.seen.map(({ key, body }) => key + body)).size).toBe(1);
  expect(await byCurl(batch)).toBe('200');

  await eventually(async () => {
    const rows = await select(
      'SELECT properties.at.:Int64 AS at, count() AS times FROM events WHERE event = {event:String} GROUP BY at ORDER BY at',
      { event },
    );
    expect(rows.map(({ at, times }) => [Number(at), Number(times)])).toEqual([1, 2, 3].map((number) => [number, 1]));
  });
  way.close();
  rmSync(directory, { recursive: true });
});
