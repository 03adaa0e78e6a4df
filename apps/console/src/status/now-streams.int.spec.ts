import { type NowEvents } from '@sluice/console-api';
import { eventually } from '@sluice/testing';
import { request } from 'node:http';
import { type AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { consoleUrl, sameOrigin, TestConsole } from '../test-console.spec-support.js';

let site: TestConsole;
let admin: { id: string; cookie: string };
let port: number;
const tabs: Tab[] = [];

beforeAll(async () => {
  site = await TestConsole.start();
  admin = await site.signIn('admin');
  await site.app.listen(0, '127.0.0.1');
  ({ port } = site.app.getHttpServer().address() as AddressInfo);
});
afterEach(() => {
  for (const tab of tabs.splice(0)) tab.close();
});
afterAll(() => site.stop());

type Received = { [Name in keyof NowEvents]: [name: Name, data: NowEvents[Name]] }[keyof NowEvents];

/** A browser's tab, with the events that it has received. */
class Tab {
  status = 0;
  isClosed = false;
  readonly received: Received[] = [];
  private text = '';
  private readonly asked;

  constructor(cookie: string) {
    const headers = { ...sameOrigin, cookie, host: new URL(consoleUrl).host };
    this.asked = request({ port, host: '127.0.0.1', path: '/api/now', headers }, (answer) => {
      this.status = answer.statusCode ?? 0;
      answer.setEncoding('utf8').on('data', (chunk: string) => this.take(chunk));
      answer.on('end', () => (this.isClosed = true));
    });
    this.asked.on('error', () => (this.isClosed = true)).end();
    tabs.push(this);
  }

  names(): string[] {
    return this.received.map(([name]) => name);
  }

  close(): void {
    this.asked.destroy();
  }

  private take(chunk: string): void {
    const events = (this.text + chunk).split('\n\n');
    this.text = events.pop() ?? '';
    for (const event of events) {
      const [, name, data] = /^event: (\w+)\ndata: (.*)$/s.exec(event) ?? [];
      if (name !== undefined) this.received.push([name, JSON.parse(data ?? '')] as Received);
    }
  }
}

it('sends a tab the servers and the report at once, and the report again within seconds', async () => {
  const tab = new Tab(admin.cookie);
  // Servers are said again every few seconds, so that silence means something.
  await eventually(() => expect(tab.names().filter((name) => name === 'status').length).toBeGreaterThan(1));
  expect(tab.names().slice(0, 2)).toEqual(['servers', 'status']);
  await eventually(() => expect(tab.names().filter((name) => name === 'servers').length).toBeGreaterThan(1));
  const [[, servers], [, report]] = tab.received as [
    ['servers', NowEvents['servers']],
    ['status', NowEvents['status']],
  ];
  expect(servers).toMatchObject({ kafka: { isUnreachable: false }, clickhouse: { isUnreachable: false } });
  expect(report.kafka).toMatchObject({ brokers: 1 });
  expect(report.deadLetters.topics).toBeInstanceOf(Array);
});

it('ends when the rights of its user change, and when the user signs out', async () => {
  const user = await site.signIn('editor');
  for (const body of [{ privacy: true }, { role: 'viewer' }]) {
    const changed = new Tab(user.cookie);
    await eventually(() => expect(changed.names()).toContain('servers'));
    await site.ask('PATCH', `/api/users/${user.id}`, { cookie: admin.cookie, body });
    await eventually(() => expect(changed.received.at(-1)).toEqual(['end', { reason: 'rights' }]));
    await eventually(() => expect(changed.isClosed).toBe(true));
  }

  const signedOut = new Tab(user.cookie);
  await eventually(() => expect(signedOut.names()).toContain('servers'));
  await site.ask('DELETE', '/api/session', { cookie: user.cookie });
  await eventually(() => expect(signedOut.received.at(-1)).toEqual(['end', { reason: 'signed-out' }]));
  const late = new Tab(user.cookie);
  await eventually(() => expect(late.status).toBe(401));
});

it('opens at most 50 streams for one user', async () => {
  const { cookie } = await site.signIn('viewer');
  const many = Array.from({ length: 53 }, () => new Tab(cookie));
  await eventually(() => expect(many.every(({ status }) => status !== 0)).toBe(true));
  expect(many.filter(({ status }) => status === 200)).toHaveLength(50);
  expect(many.filter(({ status }) => status === 429)).toHaveLength(3);
  many.find(({ status }) => status === 200)?.close();
  await eventually(async () => {
    const next = new Tab(cookie);
    await eventually(() => expect(next.status).not.toBe(0));
    expect(next.status).toBe(200);
  });
});
