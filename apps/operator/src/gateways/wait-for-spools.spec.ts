import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { operator } from '../operator.spec-support.js';

let server: Server;
let samples: Record<string, number>;
beforeEach(async () => {
  samples = { sluice_spool_messages: 0, sluice_spool_refused_messages: 0, sluice_spool_damaged_messages: 0 };
  server = createServer((_, response) => {
    const lines = Object.entries(samples).map(([name, value]) => `${name} ${value}\n`);
    response.end(lines.join(''));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

const url = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}/metrics`;
const name = () => `gateway at ${new URL(url()).host}`;
const wait = (...options: string[]) =>
  operator('gateways', 'wait-for-spools', '--gateway', url(), '--timeout', ...options);

it('resolves when the last message was sent', async () => {
  samples['sluice_spool_messages'] = 3;
  const waiting = wait('30');
  samples['sluice_spool_messages'] = 0;

  expect(await waiting).toMatchObject({
    exitCode: 0,
    stderr: '',
    stdout: `No message waits on the disk of ${name()}.\n`,
  });
});

it.each([
  ['messages wait', { sluice_spool_messages: 3 }, 'has 3 messages that wait for Kafka'],
  ['someone must look at messages', { sluice_spool_refused_messages: 1 }, 'has 1 refused or damaged messages'],
])('fails when its time is up and %s', async (_, change, message) => {
  Object.assign(samples, change);

  const { exitCode, stdout, stderr } = await wait('0');
  expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' });
  expect(stderr).toBe(
    `error: ${name()} (${url()}) ${message}${message.includes('refused') ? ' in its folder; keep them first' : ''}\n`,
  );
});

it('never takes silence, or another process, for an empty disk', async () => {
  samples = { up: 1 };
  expect((await wait('0')).stderr).toContain('it is not the /metrics of a gateway');

  server.closeAllConnections();
  const closedUrl = url();
  await new Promise((resolve) => server.close(resolve));
  const { stderr } = await operator('gateways', 'wait-for-spools', '--gateway', closedUrl, '--timeout', '0');
  expect(stderr).toContain('does not answer: ');
});
