import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sdks } from './sdks.js';
import { Stub } from './stub.js';

const sdkOf = (name: string) => sdks.find((sdk) => sdk.name === name) ?? expect.fail(`no SDK ${name}`);

let stub: Stub;

async function startFor(name: string): Promise<void> {
  stub = await Stub.start(sdkOf(name));
}

async function send(path: string, body: unknown, headers: Record<string, string> = {}): Promise<string> {
  const text =
    typeof body === 'string' ? body : body instanceof Uint8Array ? new Uint8Array(body) : JSON.stringify(body);
  const answer = await fetch(stub.url + path, { method: 'POST', headers, body: text });
  return answer.text();
}

/** Deliveries of each number, by id. */
const counted = (): unknown => [...stub.deliveries].map(([n, ids]) => [n, Object.fromEntries(ids)]);

afterEach(() => stub.stop());

/** Bodies as each SDK sends them, with events 1 and 2. */
const requests: readonly [sdk: string, path: string, bodies: readonly unknown[]][] = [
  [
    'segment',
    '/v1/t',
    [1, 2].map((n) => ({ type: 'track', event: 'purchase', messageId: `id-${n}`, properties: { n } })),
  ],
  ['posthog', '/e/?ip=0', [[1, 2].map((n) => ({ event: 'purchase', uuid: `id-${n}`, properties: { n } }))]],
  ['rudderstack', '/v1/track', [1, 2].map((n) => ({ messageId: `id-${n}`, properties: { n } }))],
  ['amplitude', '/2/httpapi', [{ events: [1, 2].map((n) => ({ insert_id: `id-${n}`, event_properties: { n } })) }]],
  [
    'snowplow',
    '/com.snowplowanalytics.snowplow/tp2',
    [{ data: [1, 2].map((n) => ({ eid: `id-${n}`, se_la: String(n) })) }],
  ],
];

describe.each(requests)('the stub for %s', (name, path, bodies) => {
  beforeEach(() => startFor(name));

  it('counts deliveries by number and id, and answers as the vendor does', async () => {
    for (const body of bodies) expect(await send(path, body)).toBe(sdkOf(name).accepted);
    const [first] = bodies;
    await send(path, gzipSync(JSON.stringify(first)), { 'content-encoding': 'gzip' });
    const twice = JSON.stringify(first).includes('id-2') ? 2 : 1;
    expect(counted()).toEqual([
      [1, { 'id-1': 2 }],
      [2, { 'id-2': twice }],
    ]);
    expect(stub.unread).toEqual([]);
  });

  it('reports what it cannot read', async () => {
    await send(path, 'no JSON');
    await send('/elsewhere', {});
    expect(stub.unread).toHaveLength(2);
    expect(counted()).toEqual([]);
  });
});

describe('the stub for sluice', () => {
  beforeEach(() => startFor('sluice'));
  const path = '/api/tracker/sdk/Source000001/trackBatch';
  const list = [1, 2].map((n) => ({ event: 'purchase', properties: { n } }));

  it('knows a repeat by key, place and content', async () => {
    for (const key of ['a', 'a', 'b']) await send(path, { list }, { 'idempotency-key': key });
    const ids = [...(stub.deliveries.get(1)?.values() ?? [])];
    expect(ids.sort()).toEqual([1, 2]);
  });
});

describe('the stub for posthog', () => {
  beforeEach(() => startFor('posthog'));

  it('reads the form of a beacon', async () => {
    const data = Buffer.from(JSON.stringify({ uuid: 'id', properties: { n: 7 } })).toString('base64');
    await send('/e/?beacon=1', `data=${encodeURIComponent(data)}`);
    expect(counted()).toEqual([[7, { id: 1 }]]);
  });

  it("does not count the SDK's own events", async () => {
    await send('/e/', [{ event: '$pageview', uuid: 'id', properties: {} }]);
    expect(counted()).toEqual([]);
  });
});
