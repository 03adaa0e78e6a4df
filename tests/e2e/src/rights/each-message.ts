import { parseKeyRing, PushTokens } from '@sluice/push-tokens';
import { expect } from 'vitest';
import { type GatewayProcess } from '../gateway-process.js';

export interface MessageSource {
  readonly sourceIdentifier: string;
  readonly apiKey: string;
}

/** A sender: its gateway, its source, and the keys of its push tokens. */
interface Client {
  readonly gateway: GatewayProcess;
  readonly source: MessageSource;
  readonly pushTokenKeys: string;
  /** True when the plan of the source refuses the event refused_by_plan. */
  readonly planRefuses?: boolean;
}

/** Sends a message. @returns the request id, once the answer is as expected */
export async function sendMessage(
  { gateway, source }: Pick<Client, 'gateway' | 'source'>,
  path: string,
  body: unknown,
  status = path.startsWith('/api/rtb') ? 204 : 200,
): Promise<string> {
  const response = await fetch(`${gateway.url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${source.apiKey}` },
    body: JSON.stringify(body),
  });
  expect([path, response.status]).toEqual([path, status]);
  return response.headers.get('x-request-id') ?? '';
}

/** Sends messages of a person and their entities to every data topic. @returns the request id of an event. */
export async function sendOfEach(client: Client, user = 'u'): Promise<string> {
  const { gateway, source, planRefuses = false } = client;
  const { sourceIdentifier } = source;
  const [sdk, catalog] = ['sdk', 'catalog'].map((api) => `/api/tracker/${api}/${sourceIdentifier}`);
  const url = 'https://shop.example/x';
  const registered = { key: 'k', device_id: `d-${user}`, sdk: 'WEB' };
  const requestId = await sendMessage(client, `${sdk}/track`, { userId: user, event: 'e' });
  await sendMessage(client, `${sdk}/track`, {
    userId: user,
    event: 'bb_notification_registered',
    properties: registered,
  });
  if (planRefuses) await sendMessage(client, `${sdk}/track`, { userId: user, event: 'refused_by_plan' }, 400);
  await sendMessage(client, `${sdk}/identify`, { userId: user, traits: { city: 'Shiraz' } });
  await sendMessage(client, '/api/rtb/ad', { sourceIdentifier });
  await sendMessage(client, `${catalog}/seller`, {
    sellerId: `s-${user}`,
    email: 'ali@shop.example',
    isActive: true,
    isBrand: true,
    isMarketPlaceOwner: true,
  });
  await sendMessage(client, `${catalog}/product`, {
    productId: `p-${user}`,
    name: 'n',
    categoryId: `c-${user}`,
    mainImage: url,
    totalStock: 1,
    isAvailable: true,
    url,
  });
  await sendMessage(client, `${catalog}/productVariant`, {
    variantId: `v-${user}`,
    productId: `p-${user}`,
    sellerId: `s-${user}`,
    price: 1,
    stock: 1,
    isAvailable: true,
    isBuyBoxWinner: true,
  });
  await sendMessage(client, `${catalog}/category`, { categoryId: `c-${user}`, name: 'n', level: 1, isLeaf: true, url });
  await sendMessage(client, `${catalog}/general`, { id: `g-${user}` });
  const token = await aToken(client, user);
  expect((await fetch(`${gateway.url}/api/tracker/general/delivered?token=${token}`)).status).toBe(200);
  return requestId;
}

function aToken({ source, pushTokenKeys }: Client, user: string): Promise<string> {
  const tokens = new PushTokens({ PUSH_TOKEN_KEYS: parseKeyRing(pushTokenKeys), PUSH_TOKEN_ACTIVE_KEY: '' });
  const { sourceIdentifier } = source;
  return tokens.seal({
    notificationId: `n-${user}`,
    source: sourceIdentifier,
    campaign: 'c',
    variation: 'v',
    profile: 'p',
    channel: 'web-push',
    provider: 'fcm',
    issuedAt: Date.now(),
  });
}
