import { once } from 'node:events';
import { createServer, request, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type {} from '@sluice/testing'; // types of `inject`
import { afterEach, expect, inject, it } from 'vitest';
import { insertSettings } from '../rows/insert-settings.js';
import { probes } from './probe-row.js';
import { proveRoundTrip, RoundTripError } from './round-trip.js';

/** A ClickHouse that reads rows otherwise than this one: requests are changed on their way. */
type Change = (url: URL, body: string) => string;
const proxies: Server[] = [];

async function changed(change: Change): Promise<string> {
  const proxy = createServer((incoming, outgoing) => {
    void buffer(incoming).then((body) => {
      const to = new URL(incoming.url ?? '', inject('clickhouseUrl'));
      const text = change(to, body.toString('latin1'));
      const upstream = request(to, { method: 'POST', headers: { ...incoming.headers, host: to.host } }, (answer) => {
        outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
        answer.pipe(outgoing);
      });
      upstream.end(Buffer.from(text, 'latin1'));
    });
  }).listen(0, '127.0.0.1');
  proxies.push(proxy);
  await once(proxy, 'listening');
  return `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
}
afterEach(() => {
  for (const proxy of proxies.splice(0)) proxy.close();
});

const prove = (CLICKHOUSE_URL: string, shards?: ReadonlyMap<string, string>): Promise<void> =>
  proveRoundTrip({
    CLICKHOUSE_URL,
    CLICKHOUSE_DATABASE: 'no_such_database_yet',
    CLICKHOUSE_USER: 'default',
    CLICKHOUSE_PASSWORD: '',
    ...(shards && { CLICKHOUSE_SHARDS: shards }),
  });
const readFailure = async (change: Change): Promise<Error> =>
  prove(await changed(change)).then(
    () => new Error('it is proved'),
    (error: unknown) => error as Error,
  );

it('is proved by this server', () => expect(prove(inject('clickhouseUrl'))).resolves.toBeUndefined());

it.each([
  ['input_format_try_infer_dates', '1', 'traits'],
  ['input_format_try_infer_datetimes', '1', 'properties'],
  ['input_format_json_read_bools_as_strings', '1', 'properties'],
  ['input_format_json_read_bools_as_numbers', '1', 'properties'],
])('names the column that a server reads differently, by %s = %s', async (name, value, column) => {
  const failure = await readFailure((url, body) => {
    if (url.searchParams.has(name)) url.searchParams.set(name, value);
    return body;
  });
  expect(failure).toBeInstanceOf(RoundTripError);
  expect(failure.message).toMatch(
    new RegExp(`^ClickHouse [\\d.]+ reads rows differently .*: ${column} .* came back as`),
  );
});

it('names a time that comes back as another', async () => {
  const failure = await readFailure((_, body) => body.replace('2023-11-14T22:13:20.012Z', '2023-11-14T22:13:20.013Z'));
  expect(failure).toBeInstanceOf(RoundTripError);
  expect(failure.message).toContain(
    "kafka_timestamp (DateTime64(3, 'UTC')) was sent as 1700000000012, must read as 1700000000012, and came back as 1700000000013",
  );
});

it('is for good when the server refuses a setting, and not when it does not answer', async () => {
  const failure = await readFailure((url, body) => {
    url.searchParams.set('no_such_setting', '1');
    return body;
  });
  expect(failure).toBeInstanceOf(RoundTripError);
  await expect(prove('http://127.0.0.1:1')).rejects.not.toBeInstanceOf(RoundTripError);
});

it('is proved on every shard', async () => {
  const otherSource = await changed((_, body) => body.replace('AbCdEf123456', 'AbCdEf654321'));
  const shards = new Map([
    ['a', inject('clickhouseUrl')],
    ['b', otherSource],
  ]);
  await expect(prove(inject('clickhouseUrl'), shards)).rejects.toThrow(/^ClickHouse of shard b [\d.]+ reads rows/);
});

it('sends the settings of an INSERT', async () => {
  const names = new Set<string>();
  await prove(
    await changed((url, body) => {
      for (const name of url.searchParams.keys()) names.add(name);
      return body;
    }),
  );
  expect([...names]).toEqual(expect.arrayContaining(Object.keys(insertSettings)));
});

it('has a column of each type that an INSERT fills in any table', () => {
  const apps = fileURLToPath(new URL('../../../../apps/', import.meta.url));
  const files = ['tracking', 'catalog', 'push-interaction'].flatMap((app) =>
    readdirSync(join(apps, app, 'migrations')).map((file) => join(apps, app, 'migrations', file)),
  );
  const column =
    /^ {4}[a-z_]+ +([A-Z].*?)(?: +DEFAULT.*?)? +COMMENT|ADD COLUMN IF NOT EXISTS [a-z_]+ ([^\n]+?)(?: +DEFAULT.*?)?(?: +COMMENT|$)/gm;
  const types = files.flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(column)].map(([, quotedType, plainType]) =>
      plain((quotedType ?? plainType ?? '').trim()),
    ),
  );
  expect(types.length).toBeGreaterThan(100);
  const probedTypes = new Set(probes.map(({ type }) => type));
  expect([...new Set(types)].filter((type) => !probedTypes.has(type) && !type.includes('MATERIALIZED'))).toEqual([]);
});

/** An aggregate's column takes values of its argument. */
const plain = (type: string): string => /^SimpleAggregateFunction\(\w+, (.+)\)$/.exec(type)?.[1] ?? type;
