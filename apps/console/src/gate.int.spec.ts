import { type Operation, type Right, type Role } from '@sluice/console-api';
import { operations } from '@sluice/console-api/document';
import { createLink } from '@sluice/operations';
import { type ClientRequest, request, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { consoleUrl, sameOrigin, TestConsole } from './test-console.spec-support.js';

let site: TestConsole;
let other: TestConsole;
const cookies: Partial<Record<Role, string>> = {};

beforeAll(async () => {
  [site, other] = await Promise.all([TestConsole.start(), TestConsole.start()]);
  for (const role of ['viewer', 'editor'] as const) cookies[role] = (await site.signIn(role)).cookie;
});
afterAll(() => Promise.all([site.stop(), other.stop()]));

// No role includes the right `privacy`.
const ranks = { public: 0, viewer: 1, editor: 2, admin: 3, privacy: 4 };
const all = [...operations].map(([name, one]): [Operation, Right | 'public'] => [name, one['x-role']]);
const hex = (letter: string): string => `%${letter.charCodeAt(0).toString(16)}`;

/** Ways in which a client may write the same path. */
const spellings: readonly ((path: string) => string)[] = [
  (path) => path,
  (path) => path.replace('/api', '/%61pi'),
  (path) => path.replace('/api', '/%61%70%69'),
  (path) => path.replace('/api', '/a%70i'),
  (path) => path.replace('/api/', '/api%2f'),
  (path) => path.replace('/api/', '/api%2F'),
  (path) => path.replace('/api', '//api'),
  (path) => path.replace('/api/', '/api//'),
  (path) => path.replace('/api', '/API'),
  (path) => path.replace('/api', '/Api'),
  (path) => path.toUpperCase(),
  (path) => path.replace('/api', '/./api'),
  (path) => path.replace('/api', '/x/../api'),
  (path) => path.replace('/api', '/%2e/api'),
  (path) => path.replace('/api', '/x/%2e%2e/api'),
  (path) => path.replace('/api', '/%2561pi'),
  (path) => path.replace('/api', '/api;x=1'),
  (path) => path.replace('/api', '\\\\api'),
  (path) => `${path}/`,
  (path) => `${path}?x=1`,
  (path) => `${path}%00`,
  (path) => path.replace(/\/([^/]+)$/, (_, last: string) => `/${Array.from(last, hex).join('')}`),
  (path) => `${consoleUrl}${path}`,
  (path) => path.replace('/api', '/%C0%AFapi'),
];

it.each(['nobody', 'viewer', 'editor'] as const)(
  'answers %s no operation above their role, however it is written',
  async (who) => {
    const rank = who === 'nobody' ? 0 : ranks[who];
    const cookie = who === 'nobody' ? '' : (cookies[who] ?? '');
    const passed: string[] = [];
    for (const [operation, needed] of all) {
      if (ranks[needed] <= rank) continue;
      const [method = '', path = ''] = operation.split(' ');
      for (const spell of spellings) {
        const url = spell(path.replace(/:\w+/g, 'none'));
        const body = method === 'GET' || method === 'DELETE' ? {} : { body: {} };
        const answer = await site.ask(method as 'GET', url, { cookie, ...body });
        const isPage = answer.statusCode === 200 && String(answer.headers['content-type']).startsWith('text/html');
        if (!isPage && ![400, 401, 403, 404, 405].includes(answer.statusCode))
          passed.push(`${method} ${url}: ${answer.statusCode}`);
        // A path that the router matches is refused because of the role, not for a later reason.
        if (spell(path) === path) expect([401, 403], `${method} ${url}`).toContain(answer.statusCode);
      }
    }
    expect(passed).toEqual([]);
  },
);

it('refuses other spellings of an operation to someone who is not signed in', async () => {
  for (const path of ['/%61pi/users', '/%61pi/status', '/%61pi/masks', '/%61pi/openapi.json', '/%61pi/dead-letters']) {
    expect((await site.ask('GET', path)).statusCode, path).toBe(401);
  }
  expect((await site.ask('POST', '/')).statusCode).toBe(404);
  expect((await site.ask('GET', '/.vite/manifest.json')).headers['content-type']).not.toContain('json');
});

it('answers only to its own name', async () => {
  for (const host of ['evil.example', 'evil.example:8070', 'localhost', 'localhost:8071', '']) {
    const headers = { ...sameOrigin, host };
    for (const url of ['/', '/api/session', '/%61pi/session']) {
      expect((await site.ask('GET', url, { headers })).statusCode, `${host} ${url}`).toBe(421);
    }
  }
  for (const host of ['localhost:8070', '127.0.0.1:8070', 'LOCALHOST:8070']) {
    expect((await site.ask('GET', '/api/session', { headers: { ...sameOrigin, host } })).statusCode, host).toBe(200);
  }
});

it('lets a link sign in once over two instances', async () => {
  const { id } = await site.signIn('viewer');
  for (let round = 0; round < 5; round++) {
    const token = (await createLink(site.writer, id, consoleUrl)).split('#')[1];
    const answers = await Promise.all(
      [site, other, site, other].map((one) => one.ask('POST', '/api/session/link', { body: { token } })),
    );
    expect(answers.map(({ statusCode }) => statusCode).toSorted()).toEqual([200, 403, 403, 403]);
  }
});

it('opens no more streams than it may when they are asked for at the same time', async () => {
  const { cookie } = await site.signIn('viewer', true);
  const { port } = await listening();
  const headers = { ...sameOrigin, cookie, host: new URL(consoleUrl).host };
  const asked: ClientRequest[] = [];
  const opened = await Promise.all(
    Array.from(
      { length: 12 },
      () =>
        new Promise<number>((resolve, reject) => {
          const one = request({ port, host: '127.0.0.1', path: '/api/live', headers }, (answer) => {
            resolve(answer.statusCode ?? 0);
          });
          one.on('error', reject).end();
          asked.push(one);
        }),
    ),
  );
  // None is closed before all are answered, which would free its place.
  for (const one of asked) one.on('error', () => undefined).destroy();
  expect(opened.filter((status) => status === 200)).toHaveLength(3);
  expect(opened.filter((status) => status === 429)).toHaveLength(9);
});

it('closes a connection whose headers never end', async () => {
  const { port } = await listening();
  const closed = await new Promise<number>((resolve) => {
    const startedAt = performance.now();
    const socket = connect(port, '127.0.0.1', () => socket.write('GET / HTTP/1.1\r\nHost: x\r\n'));
    socket.on('close', () => resolve(performance.now() - startedAt));
    socket.resume();
  });
  expect(closed).toBeLessThan(15_000);
}, 20_000);

it('bounds the saved views of one user, and lets editors share them', async () => {
  const { cookie } = await site.signIn('viewer');
  const view = { name: 'mine', url: '/live', isShared: false };
  const save = (body: object) => site.ask('PUT', '/api/views/new', { cookie, body });
  expect((await save({ ...view, isShared: true })).statusCode).toBe(403);
  expect((await save({ ...view, url: '/\\evil.example' })).statusCode).toBe(400);
  const statuses = (await Promise.all(Array.from({ length: 60 }, () => save(view)))).map(
    ({ statusCode }) => statusCode,
  );
  expect(statuses.filter((status) => status === 200)).toHaveLength(50);
});

it('shows no shared view whose filters are masked for the reader', async () => {
  const [{ cookie: editor }, { cookie: viewer }, { cookie: reader }] = await Promise.all([
    site.signIn('editor', true),
    site.signIn('viewer'),
    site.signIn('viewer', true),
  ]);
  for (const url of ['/events?user=ann%40shop.example', '/live?event=bought', '/search?q=ann%40shop.example']) {
    const body = { name: `view of ${url.slice(0, 7)}`, url, isShared: true };
    expect((await site.ask('PUT', '/api/views/new', { cookie: editor, body })).statusCode).toBe(200);
  }
  const seenBy = async (cookie: string) => (await site.ask('GET', '/api/views', { cookie })).body;
  expect(await seenBy(viewer)).not.toContain('ann%40');
  expect(await seenBy(viewer)).toContain('/live?event=bought');
  expect(await seenBy(reader)).toContain('ann%40');
});

async function listening(): Promise<AddressInfo> {
  const { server } = site.app.getHttpAdapter().getInstance() as unknown as { server: Server };
  if (!server.listening) await site.app.listen(0, '127.0.0.1');
  return server.address() as AddressInfo;
}
