import { expect, expectTypeOf, it, vi } from 'vitest';
import { createAds } from './ads/index.js';
import { createClient } from './index.js';
import { type WebClient } from './options.js';
import { clicks, pageViews, sessions } from './plugins/index.js';
import { push } from './push/index.js';

const credentials = { apiKey: 'key', sourceIdentifier: 'Source000001' };

it('on a server a client does nothing, sends nothing and throws nothing', async () => {
  const fetched = vi.spyOn(globalThis, 'fetch');
  const errors: unknown[] = [];
  const client = createClient({
    credentials,
    plugins: [pageViews(), clicks(), sessions(), push({ worker: '/worker.js' })],
    errorHandler: (error) => errors.push(error),
  });
  expect([client.track('viewed'), client.identify('u-1'), client.userId, client.deviceId]).toEqual([
    false,
    false,
    undefined,
    undefined,
  ]);
  client.consent('denied');
  client.reset();
  expect(await client.flush()).toEqual({ sent: 0, left: 0 });
  expect(await createAds().requestAd({})).toBeNull();
  expect([fetched.mock.calls, errors]).toEqual([[], []]);
});

it('a client without options throws nothing', () => {
  const anyhow = createClient as unknown as (options?: null) => Pick<WebClient, 'track'>;
  expect([anyhow().track('viewed'), anyhow(null).track('viewed')]).toEqual([false, false]);
});

it('a client of typed events takes no others', () => {
  type Track = WebClient<{ order_completed: { total: number } }>['track'];
  expectTypeOf<Parameters<Track>[0]>().toEqualTypeOf<'order_completed' | 'notification_registered'>();
});
