import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FaultProxy, faults, kotlinClassPath } from '@sluice/sdk-faults';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { local, operator, select, type SourceCredentials } from '../stack.js';
import { expectOnce } from './client-page.js';

interface Outcome {
  readonly taken: boolean[];
  readonly sent: number;
  readonly left: number;
  readonly errors: string[];
}

const timeoutMs = 300_000;
let classPath: string;
let folder: string;
let source: SourceCredentials;

beforeAll(async () => {
  classPath = await kotlinClassPath();
  folder = await mkdtemp(join(tmpdir(), 'sluice-kotlin-'));
  source = await operator<SourceCredentials>('sources', 'create', '--name', 'Kotlin', '--type', 'android-sdk');
}, timeoutMs);

afterAll(() => rm(folder, { recursive: true, force: true }));

/** Makes calls in a process of the Kotlin SDK, on a device with this locale, and flushes. */
function calls(list: readonly object[], { host = local().gateway.url, locale = 'en-US' } = {}): Promise<Outcome> {
  const [language = '', country = ''] = locale.split('-');
  const properties = [`-Duser.language=${language}`, `-Duser.country=${country}`, '-XX:TieredStopAtLevel=1'];
  const args = [
    '-cp',
    classPath,
    'tech.sluice.testing.TestClientKt',
    host,
    source.apiKey,
    source.sourceIdentifier,
    folder,
  ];
  return new Promise((resolve, reject) => {
    const child = execFile('java', [...properties, ...args], (error, stdout) => {
      if (error) reject(new Error(`the client failed: ${error.message}`));
      else resolve(JSON.parse(stdout) as Outcome);
    });
    child.stdin?.end(list.map((call) => JSON.stringify(call)).join('\n'));
  });
}

/** Tracks events until the gateway knows the new source; until then the SDK keeps them. */
async function callsOfKnownSource(): Promise<void> {
  await expect.poll(async () => (await calls([{ track: 'kotlin_begun' }])).left, { timeout: 60_000 }).toBe(0);
}

it(
  'an event of the Kotlin SDK is a row',
  async () => {
    await callsOfKnownSource();
    const done = await calls([
      { identify: 'u-kotlin', properties: { plan: 'pro' } },
      { track: 'kotlin_first', properties: { total: 49.9, city: 'تهران' } },
    ]);
    expect(done).toEqual({ taken: [true, true], sent: 2, left: 0, errors: [] });
    await expectOnce('kotlin_first', ['kotlin_first']);
    const [row] = await select(
      "SELECT user_id, properties.total AS total, properties.city AS city, context.sdk.seq AS seq FROM events WHERE event = 'kotlin_first'",
      {},
    );
    expect(row).toEqual({ user_id: 'u-kotlin', total: 49.9, city: 'تهران', seq: 1 });
  },
  timeoutMs,
);

it(
  'a device in fa-IR sends the same digits and times',
  async () => {
    const before = Date.now();
    const done = await calls([{ track: 'kotlin_fa', properties: { n: 1_234_567.5 } }], { locale: 'fa-IR' });
    expect(done).toEqual({ taken: [true], sent: 1, left: 0, errors: [] });
    await expectOnce('kotlin_fa', ['kotlin_fa']);
    const [row] = await select(
      "SELECT properties.n AS n, toUnixTimestamp64Milli(timestamp) AS ms FROM events WHERE event = 'kotlin_fa'",
      {},
    );
    expect(row?.['n']).toBe(1_234_567.5);
    expect(Number(row?.['ms'])).toBeGreaterThanOrEqual(before);
    expect(Number(row?.['ms'])).toBeLessThanOrEqual(Date.now());
  },
  timeoutMs,
);

it(
  'a batch whose answer was lost lies in a file, and the next process repeats it: one row',
  async () => {
    const proxy = await FaultProxy.start(local().gateway.url);
    try {
      // The first process and the next one each lose an answer.
      proxy.next(faults.cutAfter, faults.cutAfter);
      const first = await calls([{ track: 'kotlin_repeated' }], { host: proxy.url });
      expect(first).toMatchObject({ taken: [true], sent: 0, left: 1 });
      expect((await readdir(join(folder, 'queue'))).filter((name) => name.endsWith('.batch'))).toHaveLength(1);
      await expect.poll(async () => (await calls([], { host: proxy.url })).left, { timeout: 60_000 }).toBe(0);
      await expectOnce('kotlin_repeated', ['kotlin_repeated']);
    } finally {
      await proxy.stop();
    }
  },
  timeoutMs,
);

it(
  'a push token becomes a registration',
  async () => {
    const done = await calls([{ token: 'push-token-of-kotlin' }]);
    expect(done.errors).toEqual([]);
    // Other SDKs register devices, too.
    const query =
      "SELECT count() AS times FROM events WHERE event = 'bb_notification_registered' AND source_id = {source:String}";
    const times = async (): Promise<number> =>
      Number((await select(query, { source: source.sourceIdentifier }))[0]?.['times']);
    await expect.poll(times, { timeout: 60_000 }).toBe(1);
  },
  timeoutMs,
);
