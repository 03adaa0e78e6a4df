import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { freePort } from '@sluice/testing';
import Provider from 'oidc-provider';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { consoleUrl, cookieIn, TestConsole } from './test-console.spec-support.js';

let issuer: string;
let server: Server;
let site: TestConsole;
/** Groups of the person who signs in at the provider. */
let groups: string[] = [];

beforeAll(async () => {
  const port = await freePort();
  issuer = `http://localhost:${port}`;
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: 'sluice',
        client_secret: 'a secret of the client',
        grant_types: ['authorization_code'],
        redirect_uris: [`${consoleUrl}/api/session/oidc/callback`],
        response_types: ['code'],
      },
    ],
    claims: { openid: ['sub'], profile: ['name', 'groups'], email: ['email'] },
    findAccount: (_context, id) => ({
      accountId: id,
      claims: () => ({ sub: id, name: 'Ann <b>Example</b>', groups }),
    }),
    cookies: { keys: ['test'] },
  });
  // The provider makes its own pages use https, unless they are on this machine.
  server = createServer((request, response) => void provider.callback()(request, response)).listen(port);
  await once(server, 'listening');
  const roles = 'platform=admin;shop=editor+payloads';
  site = await TestConsole.start({
    OIDC_ISSUER: issuer,
    OIDC_CLIENT_ID: 'sluice',
    OIDC_CLIENT_SECRET: 'a secret of the client',
    OIDC_ROLES: roles,
    OIDC_NAME: 'Example',
  });
});
afterAll(async () => {
  await site.stop();
  server.close();
});

/** Walks through the provider as a browser does, with its cookies. Returns the address that it sends back to. */
async function throughProvider(start: string, login: string): Promise<string> {
  const cookies = new Map<string, string>();
  let [url, body]: [string, string | undefined] = [start, undefined];
  for (let step = 0; step < 12; step++) {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const headers = { cookie, ...(body !== undefined && { 'content-type': 'application/x-www-form-urlencoded' }) };
    const method = body === undefined ? 'GET' : 'POST';
    const answer = await fetch(url, { method, headers, redirect: 'manual', ...(body !== undefined && { body }) });
    for (const one of answer.headers.getSetCookie()) {
      const [pair = ''] = one.split(';');
      cookies.set(pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1));
    }
    const location = answer.headers.get('location');
    if (location?.startsWith(consoleUrl)) return location;
    if (location !== null) [url, body] = [new URL(location, url).href, undefined];
    else {
      const page = await answer.text();
      const action = /<form[^>]*action="([^"]+)"/.exec(page)?.[1];
      if (action === undefined) throw new Error(`no form: ${page.slice(0, 500)}`);
      const prompt = page.includes('name="login"') ? `prompt=login&login=${login}&password=any` : 'prompt=consent';
      [url, body] = [new URL(action, url).href, prompt];
    }
  }
  throw new Error('the provider did not come back');
}

async function signIn(login: string): Promise<{ location: string; cookie: string }> {
  const started = await site.ask('GET', '/api/session/oidc', { headers: {} });
  expect(started.statusCode).toBe(302);
  const pending = cookieIn(started.headers['set-cookie']);
  const back = new URL(await throughProvider(started.headers.location ?? '', login));
  const ended = await site.ask('GET', `${back.pathname}${back.search}`, { cookie: pending, headers: {} });
  const cookies = [ended.headers['set-cookie'] ?? ''].flat();
  const cookie = cookies.find((one) => one.startsWith('sluice-console=')) ?? '';
  return { location: ended.headers.location ?? '', cookie: cookieIn(cookie) };
}

it('gives a user of the provider the role of their groups', async () => {
  groups = ['shop', 'others'];
  const { location, cookie } = await signIn('ann');

  expect(location).toBe('/');
  expect((await site.ask('GET', '/api/session', { cookie })).json()).toMatchObject({
    user: { id: 'oidc:ann', role: 'editor', payloads: true },
    signIn: { oidc: 'Example' },
  });
});

it('lets nobody in without a group that has a role', async () => {
  groups = ['others'];

  expect(await signIn('bob')).toEqual({ location: '/login?problem=not-allowed', cookie: '' });
});

it('refuses an answer to a sign-in that someone else began', async () => {
  groups = ['platform'];
  const started = await site.ask('GET', '/api/session/oidc', { headers: {} });
  const other = await site.ask('GET', '/api/session/oidc', { headers: {} });
  const back = new URL(await throughProvider(started.headers.location ?? '', 'eve'));
  const cookie = cookieIn(other.headers['set-cookie']);
  const ended = await site.ask('GET', `${back.pathname}${back.search}`, { cookie, headers: {} });

  expect(ended.headers.location).toBe('/login?problem=failed');
  expect(String(ended.headers['set-cookie'] ?? '')).not.toContain('sluice-console=');
});
