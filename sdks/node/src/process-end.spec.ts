import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';

vi.setConfig({ testTimeout: 60_000 });

let service: Server;
let events: string[];
let isUnreachable: boolean;

beforeEach(async () => {
  events = [];
  isUnreachable = false;
  service = createServer((request, answer) => {
    void text(request).then((body) => {
      if (isUnreachable) return answer.destroy();
      events.push(...(JSON.parse(body) as { list: { event: string }[] }).list.map(({ event }) => event));
      return answer.end('{"status":"QUEUED"}');
    });
  });
  await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
});
afterEach(() => {
  service.close();
  service.closeAllConnections();
});

/** Runs a script that has a client and tracks `e`. Resolves with how it ended and what it printed. */
async function script(options: string, more = '', signal?: NodeJS.Signals) {
  const apiHost = `http://127.0.0.1:${(service.address() as AddressInfo).port}`;
  const code = `import { createClient } from ${JSON.stringify(fileURLToPath(new URL('./index.ts', import.meta.url)))};
    const client = createClient({
      credentials: { apiKey: 'k', sourceIdentifier: 'S' }, apiHost: '${apiHost}',
      errorHandler: ({ code, count }) => console.log(code, count), ${options}
    });
    client.track('e', {}, { userId: 'u' });
    ${more}
    console.log('tracked');`;
  const child = spawn(process.execPath, [...process.execArgv, '--input-type=module', '-e', code], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString();
    if (signal && output.includes('tracked')) child.kill(signal);
  });
  const [exitCode, by] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null];
  return { exitCode, by, output: output.replace('tracked\n', '') };
}

it('a script that only tracks ends by itself, after its events were sent', async () => {
  expect(await script('flushInterval: 300')).toEqual({ exitCode: 0, by: null, output: '' });
  expect(events).toEqual(['e']);
});

it('a script without the service ends, and reports what was only in memory', async () => {
  isUnreachable = true;
  expect(await script('flushInterval: 100')).toEqual({ exitCode: 0, by: null, output: 'storage 1\n' });
});

const wait = 'setInterval(() => undefined, 1_000);';

it('signals that closeOn names close the client, and end the process all the same', async () => {
  const options = `flushInterval: 60_000, closeOn: ['SIGTERM', 'SIGINT']`;
  expect(await script(options, wait, 'SIGTERM')).toEqual({ exitCode: null, by: 'SIGTERM', output: '' });
  expect(events).toEqual(['e']);
});

it('a process that handles the signal itself decides how it ends', async () => {
  const own = `${wait} process.on('SIGTERM', () => setTimeout(() => process.exit(7), 1_000));`;
  const options = `flushInterval: 60_000, closeOn: ['SIGTERM']`;
  expect(await script(options, own, 'SIGTERM')).toEqual({ exitCode: 7, by: null, output: '' });
  expect(events).toEqual(['e']);
});

it('without closeOn a signal ends the process as if there were no client', async () => {
  const ended = await script('flushInterval: 60_000', wait, 'SIGTERM');
  expect(ended).toEqual({ exitCode: null, by: 'SIGTERM', output: '' });
  expect(events).toEqual([]);
});
