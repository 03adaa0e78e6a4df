import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo } from 'node:net';
import { type LiveFrame } from '@sluice/console-api';
import { afterEach, expect, it } from 'vitest';
import { PayloadMasks, type PayloadView } from '../payload/masks.js';
import { type CurrentUser } from '../session/current-user.js';
import { FrameRows } from './frame-rows.js';
import { type LiveFilter, LiveMessage } from './live-filter.js';
import { Viewer } from './viewer.js';

const topic = 'tracking.track.v1';
const masks = new PayloadMasks(['email'], 'secret');
const ends: (() => void)[] = [];
afterEach(() => {
  for (const end of ends.splice(0)) end();
});

const user: CurrentUser = {
  id: 'ann',
  name: 'Ann',
  role: 'viewer',
  payloads: false,
  privacy: false,
  address: '127.0.0.1',
  sessionEndsAt: 0,
  hasPassword: false,
};

const aMessage = (n: number, change: object = {}): LiveMessage => {
  const row = { source_id: 'shop', user_id: `user-${n}`, event: 'bought', email: `${n}@shop.example`, ...change };
  const value = Buffer.from(JSON.stringify(row));
  const place = { topic, partition: 0, offset: String(n), timestamp: 1_000 + n };
  const message = { ...place, key: `shop:user-${n}`, value, requestId: `request-${n}` };
  return new LiveMessage(message, { nameOf: () => 'Shop' });
};

const messages = (count: number): LiveMessage[] => Array.from({ length: count }, (_, n) => aMessage(n));

interface Opened {
  viewer: Viewer;
  /** The frame that is sent next. */
  next: () => Promise<LiveFrame>;
}

/** A viewer over a real connection. */
async function opened(view: () => PayloadView, filter: Partial<LiveFilter> = {}): Promise<Opened> {
  const { promise, resolve } = Promise.withResolvers<ServerResponse>();
  const server = createServer((_, answer) => {
    answer.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
    resolve(answer);
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  ends.push(() => {
    server.closeAllConnections();
    server.close();
  });
  const { body } = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const reader = (body as ReadableStream<Uint8Array>).getReader();
  const decoder = new TextDecoder();
  let text = '';
  const next = async (): Promise<LiveFrame> => {
    while (!text.includes('\n\n')) text += decoder.decode((await reader.read()).value, { stream: true });
    const [event = ''] = text.split('\n\n', 1);
    text = text.slice(event.length + 2);
    expect(event).toMatch(/^event: frame\ndata: \{/);
    return JSON.parse(event.slice(event.indexOf('{'))) as LiveFrame;
  };
  return { viewer: new Viewer(user, { topics: [topic], ...filter }, await promise, view), next };
}

const offsets = ({ rows }: LiveFrame): string[] => rows.map(({ offset }) => offset);

it('shows the same row to some with masks and to others without', async () => {
  const plain = await opened(() => masks.plain);
  const masked = await opened(() => masks.masked);
  const [frames, taken] = [new FrameRows(), [aMessage(7)]];
  for (const { viewer } of [plain, masked]) {
    viewer.take(taken, 0);
    viewer.sendFrame(frames);
  }

  const [open, closed] = [await plain.next(), await masked.next()];
  expect(open.rows).toMatchObject([{ offset: '7', user: 'user-7', event: 'bought', payload: { isMasked: false } }]);
  expect(open.rows[0]?.payload.json).toContain('7@shop.example');
  expect(closed.rows).toMatchObject([{ offset: '7', user: 'user-7', event: 'bought', payload: { isMasked: true } }]);
  expect(closed.rows[0]?.payload.json).not.toContain('7@shop.example');
});

it('hides what is masked from now on, also in rows that were shown before', async () => {
  let view = masks.plain;
  const { viewer, next } = await opened(() => view);
  const taken = [aMessage(1)];
  viewer.take(taken, 0);
  viewer.sendFrame(new FrameRows());
  expect((await next()).rows[0]?.payload.json).toContain('1@shop.example');

  view = masks.masked;
  viewer.take(taken, 0);
  viewer.sendFrame(new FrameRows());
  expect((await next()).rows[0]?.payload.json).not.toContain('1@shop.example');
});

it('keeps the newest 200 rows, sends 50 at once, and counts what it left out', async () => {
  const { viewer, next } = await opened(() => masks.plain);
  viewer.take(messages(230), 12);
  for (let n = 0; n < 5; n++) viewer.sendFrame(new FrameRows());

  const frames = [await next(), await next(), await next(), await next()];
  expect(frames.map(({ rows }) => rows.length)).toEqual([50, 50, 50, 50]);
  expect(frames.flatMap(offsets)).toEqual(Array.from({ length: 200 }, (_, n) => String(30 + n)));
  expect(frames[0]).toMatchObject({ seen: 230, skipped: 12, dropped: 30 });
  expect(frames[1]).toMatchObject({ seen: 0, skipped: 0, dropped: 0 });
});

it('gives viewers of different filters their own rows of the same frames', async () => {
  const all = await opened(() => masks.plain);
  const one = await opened(() => masks.plain, { user: 'user-2' });
  const [frames, taken] = [new FrameRows(), messages(3)];
  for (const { viewer } of [all, one]) {
    viewer.take(taken, 0);
    viewer.sendFrame(frames);
  }

  expect(offsets(await all.next())).toEqual(['0', '1', '2']);
  const own = await one.next();
  expect(offsets(own)).toEqual(['2']);
  expect(own.seen).toBe(3);
});

it('sends few rows at once when they are large, and counts without rows', async () => {
  const { viewer, next } = await opened(() => masks.plain);
  viewer.take(
    [1, 2, 3, 4].map((n) => aMessage(n, { text: 'ü'.repeat(40_000) })),
    0,
  );
  for (let n = 0; n < 3; n++) viewer.sendFrame(new FrameRows());
  expect([offsets(await next()), offsets(await next())]).toEqual([
    ['1', '2'],
    ['3', '4'],
  ]);

  viewer.take([], 9);
  viewer.sendFrame(new FrameRows());
  expect(await next()).toMatchObject({ rows: [], seen: 0, skipped: 9 });
});
