import { type Operation, type Right, type UserList } from '@sluice/console-api';
import { operations } from '@sluice/console-api/document';
import { createLink } from '@sluice/operations';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { consoleUrl, sameOrigin, TestConsole } from './test-console.spec-support.js';

// Own users: a spec that demotes all other admins would end the sessions of other specs.
vi.hoisted(() => {
  process.env['TOPIC_PREFIX'] = `access${process.pid}.`;
});

let site: TestConsole;
let viewer: { id: string; cookie: string };
let editor: { id: string; cookie: string };
let admin: { id: string; cookie: string };

beforeAll(async () => {
  site = await TestConsole.start({ CONSOLE_TRUSTED_PROXIES: '127.0.0.0/8' });
  [viewer, editor, admin] = [await site.signIn('viewer'), await site.signIn('editor'), await site.signIn('admin')];
});
afterAll(() => site.stop());

// No role includes the right `privacy`.
const ranks = { public: 0, viewer: 1, editor: 2, admin: 3, privacy: 4 };
const all = [...operations].map(([name, one]): [Operation, Right | 'public'] => [name, one['x-role']]);
const split = (operation: Operation): [method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE', url: string] => {
  const [method = '', path = ''] = operation.split(' ');
  return [method as 'GET', path.replace(/:\w+/g, 'none')];
};

describe.each(all.filter(([, role]) => role !== 'public'))('%s, for %s', (operation, needed) =>
  it('refuses everybody below', async () => {
    const [method, url] = split(operation);
    const body = method === 'GET' || method === 'DELETE' ? {} : { body: {} };

    expect((await site.ask(method, url, body)).statusCode).toBe(401);
    const everybody = { viewer, editor, admin };
    for (const role of ['viewer', 'editor', 'admin'] as const) {
      const { cookie } = everybody[role];
      if (ranks[role] >= ranks[needed]) continue;
      expect((await site.ask(method, url, { ...body, cookie })).statusCode).toBe(403);
    }
  }),
);

it('lists every operation in its OpenAPI document', async () => {
  const answer = await site.ask('GET', '/api/openapi.json', { cookie: viewer.cookie });
  const { paths } = answer.json<{ paths: Record<string, object> }>();
  const listed = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}`),
  );
  expect(listed.toSorted()).toEqual([...operations.keys()].toSorted());
});

it('refuses changes, streams and reads of another site', async () => {
  const { cookie } = admin;
  const foreign = [
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { origin: 'https://evil.example' },
  ];
  for (const headers of [...foreign, {}]) {
    expect((await site.ask('PUT', '/api/masks', { cookie, headers, body: { paths: [] } })).statusCode).toBe(403);
    expect((await site.ask('GET', '/api/live', { cookie, headers })).statusCode).toBe(403);
  }
  for (const from of ['cross-site', 'same-site', 'none', 'same-origin']) {
    const { statusCode } = await site.ask('GET', '/api/users', { cookie, headers: { 'sec-fetch-site': from } });
    expect(statusCode, from).toBe(from.endsWith('-site') ? 403 : 200);
  }
  const form = { 'sec-fetch-site': 'same-origin', 'content-type': 'text/plain' };
  expect((await site.ask('POST', '/api/session', { headers: form })).statusCode).toBeGreaterThanOrEqual(400);
  const own = await site.ask('PUT', '/api/views/new', { cookie, headers: { origin: consoleUrl }, body: {} });
  expect(own.statusCode).toBe(400);
});

it('lets a link sign in once, which makes its user active', async () => {
  const { id } = await site.signIn('viewer');
  const link = await createLink(site.writer, id, consoleUrl);
  const cookie = await site.useLink(link);
  expect((await site.ask('GET', '/api/session', { cookie })).json()).toMatchObject({ user: { id, role: 'viewer' } });
  const listed = await site.ask('GET', `/api/users?text=${id}`, { cookie: admin.cookie });
  const { users } = listed.json<UserList>();
  expect(users.find((one) => one.id === id)?.status).toBe('active');

  const again = await site.ask('POST', '/api/session/link', { body: { token: link.split('#')[1] } });
  expect(again.statusCode).toBe(403);
  expect(again.headers['set-cookie']).toBeUndefined();
});

it('ends a stolen cookie when its user signs out, within a second', async () => {
  const { cookie } = await site.signIn('editor');
  expect((await site.ask('GET', '/api/masks', { cookie })).statusCode).toBe(200);

  const signedOut = await site.ask('DELETE', '/api/session', { cookie });

  expect(signedOut.json()).toMatchObject({ user: null });
  expect((await site.ask('GET', '/api/masks', { cookie })).statusCode).toBe(401);
});

it('withdraws rights within a second, and ends the sessions of a disabled user for good', async () => {
  const { id, cookie } = await site.signIn('admin');
  const change = (body: object) => site.ask('PATCH', `/api/users/${id}`, { cookie: admin.cookie, body });
  expect((await site.ask('GET', '/api/users', { cookie })).statusCode).toBe(200);

  expect((await change({ role: 'viewer', name: '  ' })).json()).toMatchObject({ role: 'viewer', name: id });
  expect((await site.ask('GET', '/api/users', { cookie })).statusCode).toBe(403);

  expect((await change({ disabled: true })).json()).toMatchObject({ status: 'disabled' });
  expect((await site.ask('GET', '/api/masks', { cookie })).statusCode).toBe(401);
  await change({ disabled: false });
  expect((await site.ask('GET', '/api/masks', { cookie })).statusCode).toBe(401);
});

it('finds users by a part of their name or id, by role and status, page by page', async () => {
  const ids = Array.from({ length: 5 }, (_, i) => `paged-${i}`);
  for (const id of ids) await site.ask('POST', '/api/users', { cookie: admin.cookie, body: { id, role: 'editor' } });
  const list = async (query: string): Promise<UserList> =>
    (await site.ask('GET', `/api/users?${query}`, { cookie: admin.cookie })).json<UserList>();
  const first = await list('text=PAGED&limit=3');
  expect(first).toMatchObject({ found: 5, all: site.reader.state.list('user').length });
  const second = await list('text=paged&limit=3&skip=3');
  expect([...first.users, ...second.users].map(({ id }) => id)).toEqual(ids);
  expect((await list('text=paged&role=viewer')).found).toBe(0);
  expect((await list('text=paged&role=editor&status=invited')).found).toBe(5);
});

it('keeps one of two admins who demote each other at the same time', async () => {
  const others = site.reader.state.list('user');
  const [one, two] = [await site.signIn('admin'), await site.signIn('admin')];
  const rest = others.filter(({ id, role }) => role === 'admin' && id !== one.id && id !== two.id);
  const change = (id: string, cookie: string, role: string) =>
    site.ask('PATCH', `/api/users/${id}`, { cookie, body: { role } });
  for (const { id } of rest) await change(id, one.cookie, 'editor');
  try {
    const answers = await Promise.all([change(one.id, two.cookie, 'viewer'), change(two.id, one.cookie, 'viewer')]);
    expect(answers.map(({ statusCode }) => statusCode).toSorted()).toEqual([200, 409]);
  } finally {
    for (const { id } of rest) {
      const record = site.reader.state.get('user', id);
      if (record) await site.writer.put('user', id, { ...record, role: 'admin' });
    }
  }
});

it('signs in with a password, slows guesses down, and locks nobody out', async () => {
  const { id, cookie } = await site.signIn('viewer');
  const password = 'correct horse battery';
  expect((await site.ask('PUT', '/api/session/password', { cookie, body: { password: 'short' } })).statusCode).toBe(
    400,
  );
  expect((await site.ask('PUT', '/api/session/password', { cookie, body: { password } })).statusCode).toBe(200);

  const from = async (address: string, body: object): Promise<[number, unknown]> => {
    const headers = { ...sameOrigin, 'x-forwarded-for': address };
    const answer = await site.ask('POST', '/api/session', { headers, body });
    return [answer.statusCode, answer.headers['retry-after']];
  };
  expect(await from('10.0.0.1', { user: id, password })).toEqual([200, undefined]);
  const statuses: [number, unknown][] = [];
  for (let i = 0; i < 6; i++) statuses.push(await from('10.0.0.9', { user: id, password: `wrong ${i} guess` }));
  expect(statuses.map(([status]) => status)).toEqual([403, 403, 403, 403, 403, 429]);
  expect(Number(statuses.at(-1)?.[1])).toBeGreaterThan(0);
  // Neither the user elsewhere nor another user at that address has to wait.
  expect(await from('10.0.0.1', { user: id, password })).toEqual([200, undefined]);
  expect(await from('10.0.0.9', { user: 'someone', password })).toEqual([403, undefined]);
  expect((await site.useLink(await createLink(site.writer, id, consoleUrl))).length).toBeGreaterThan(20);
});

it('shows no hash of a key or a password, to nobody', async () => {
  const { cookie } = admin;
  const created = await site.ask('POST', '/api/sources', {
    cookie,
    body: { name: 'Hash test', type: 'tracking-api' },
  });
  const { source, apiKey } = created.json<{ source: { sourceIdentifier: string }; apiKey: string }>();
  for (const url of ['/api/sources', `/api/sources/${source.sourceIdentifier}`, '/api/users', '/api/session']) {
    const { body } = await site.ask('GET', url, { cookie });
    expect(body).not.toContain(apiKey);
    expect(body).not.toMatch(/"(hash|notBefore)"/);
  }
});

it('gives a command to paste that is one command, whatever was asked for', async () => {
  const reason = `'; touch "$HOME"; '`;
  const answer = await site.ask('GET', `/api/dead-letters?reason=${encodeURIComponent(reason)}`, {
    cookie: admin.cookie,
  });
  const { command } = answer.json<{ command: string }>();
  expect(command).toContain(String.raw`--reason ''\''; touch "$HOME"; '\'''`);
});

it('answers a hostile path or body with an error, and with its policy', async () => {
  const { cookie } = admin;
  for (const name of ['\u0000', '‮evil', 'x'.repeat(300)]) {
    const answer = await site.ask('POST', '/api/sources', { cookie, body: { name, type: 'nothing' } });
    expect(answer.statusCode).toBe(400);
  }
  const page = await site.ask('GET', '/sources/<script>alert(1)</script>');
  expect(page.headers['content-security-policy']).toContain("default-src 'none'");
  expect(page.headers['content-security-policy']).not.toContain('unsafe');
  expect((await site.ask('GET', '/api/none')).statusCode).toBe(404);
  expect((await site.ask('GET', '/assets/../../etc/passwd')).body).not.toContain('root:');
});
