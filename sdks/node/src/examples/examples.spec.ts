import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { Controller, Inject, Module, Post } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { fastify } from 'fastify';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createClient, type NodeClient } from '../index.js';
import { expressShop, type ShopEvents } from './express-shop.js';
import { addSluice } from './fastify-context.js';
import { SLUICE, SluiceModule } from './sluice.module.js';

vi.setConfig({ testTimeout: 60_000 });

interface Message {
  readonly userId?: string;
  readonly anonymousId?: string;
  readonly event?: string;
  readonly properties?: object;
  readonly traits?: object;
  readonly context: { readonly ip?: string; readonly userAgent?: string };
}

let messages: Message[];
let service: Server;
const urlOf = (server: Server): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

beforeEach(async () => {
  messages = [];
  service = createServer((request, answer) => {
    void text(request).then((body) => {
      messages.push(...(JSON.parse(body) as { list: Message[] }).list);
      answer.end('{"status":"QUEUED"}');
    });
  });
  await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
});
afterEach(() => {
  service.close();
  service.closeAllConnections();
});

const options = () => ({ credentials: { apiKey: 'key', sourceIdentifier: 'Source000001' }, apiHost: urlOf(service) });
const post = (url: string, person: Record<string, string>, body: object = {}): Promise<Response> =>
  fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'user-agent': 'shopper', ...person },
    body: JSON.stringify(body),
  });

it('the Express shop', async () => {
  const sluice = createClient<ShopEvents>(options());
  const shop = expressShop(sluice).listen(0, '127.0.0.1');
  await once(shop, 'listening');
  const url = urlOf(shop);
  await Promise.all([
    post(`${url}/cart`, { 'x-visitor': 'visitor-1' }, { items: ['a', 'b'] }),
    post(`${url}/orders`, { 'x-user': 'user-1' }, { total: 49.9 }),
    post(`${url}/orders`, { 'x-user': 'user-2' }, { total: 5 }),
  ]);
  const order = await post(`${url}/orders`, {}, { total: 1 });
  expect(await order.json()).toMatchObject({ isTracked: false });
  await post(`${url}/sign-up`, { 'x-visitor': 'visitor-1' }, { userId: 'user-3', plan: 'pro' });
  shop.close();
  expect(await sluice.close()).toEqual({ sent: 4, left: 0 });
  expect(messages).toContainEqual(
    expect.objectContaining({ anonymousId: 'visitor-1', event: 'cart_filled', properties: { items: 2 } }),
  );
  for (const [userId, total] of [
    ['user-1', 49.9],
    ['user-2', 5],
  ] as const) {
    expect(messages.find((message) => message.userId === userId)).toMatchObject({
      event: 'order_completed',
      properties: { total },
      context: { userAgent: 'shopper' },
    });
  }
  expect(messages.filter(({ context }) => context.ip !== undefined)).toEqual([]);
  expect(messages.find(({ traits }) => traits)).toMatchObject({
    userId: 'user-3',
    anonymousId: 'visitor-1',
    traits: { plan: 'pro' },
  });
});

it('the Fastify hook', async () => {
  const sluice = createClient(options());
  const app = fastify();
  addSluice(app, sluice, ({ headers }) => ({ userId: headers['x-user'] as string }));
  app.post('/seen', async () => {
    await Promise.resolve();
    return { isTracked: sluice.track('seen') };
  });
  const answers = await Promise.all(
    ['user-1', 'user-2'].map((user) => app.inject({ method: 'POST', url: '/seen', headers: { 'x-user': user } })),
  );
  expect(answers.map((answer) => answer.json<object>())).toEqual([{ isTracked: true }, { isTracked: true }]);
  await app.close();
  expect(messages.map(({ userId, event }) => [userId, event]).sort()).toEqual([
    ['user-1', 'seen'],
    ['user-2', 'seen'],
  ]);
  expect(messages.filter(({ context }) => context.ip !== undefined)).toEqual([]);
});

it('the Nest module', async () => {
  @Controller()
  class OrderController {
    constructor(@Inject(SLUICE) private readonly sluice: NodeClient) {}

    @Post('orders')
    create(): object {
      return { isTracked: this.sluice.track('order_completed', { total: 1 }) };
    }
  }

  @Module({
    imports: [SluiceModule.forRoot(options(), (headers) => ({ userId: headers['x-user'] as string }))],
    controllers: [OrderController],
  })
  class ShopModule {}

  const app = await NestFactory.create<NestFastifyApplication>(ShopModule, new FastifyAdapter(), { logger: false });
  await app.listen(0, '127.0.0.1');
  const answer = await post(`${await app.getUrl()}/orders`, { 'x-user': 'user-1' });
  expect(await answer.json()).toEqual({ isTracked: true });
  await app.close();
  expect(messages).toMatchObject([{ userId: 'user-1', event: 'order_completed', properties: { total: 1 } }]);
});
