import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '@sluice/testing';
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { operator } from '../operator.spec-support.js';

let folder: string;
let gateway: Server;
/** Status of every answer. */
let status = 200;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sluice-import-records-'));
  await writeFile(join(folder, 'general.ndjson'), '{"id":"a"}\n{"id":"b"}\n');
  gateway = createServer((request, response) => {
    request.resume();
    const body = status === 200 ? { status: 'QUEUED' } : [{ field: '', message: 'error.source.unauthorized' }];
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  }).listen(0, '127.0.0.1');
  await once(gateway, 'listening');
});
afterEach(() => vi.unstubAllEnvs());
afterAll(async () => {
  gateway.closeAllConnections();
  gateway.close();
  await rm(folder, { recursive: true });
});

const importFile = (kafka: string | undefined) => {
  vi.stubEnv('SLUICE_DATA_DIR', '/no/such/folder');
  vi.stubEnv('KAFKA_BROKERS', kafka);
  const url = `http://127.0.0.1:${(gateway.address() as AddressInfo).port}`;
  const target = ['--source', 'Source000001', '--api-key', 'key', '--gateway-url', url];
  return operator('catalog', 'import', join(folder, 'general.ndjson'), ...target, '--json');
};

it.each([
  ['is not named', () => undefined, 'KAFKA_BROKERS'],
  ['does not answer', async () => `127.0.0.1:${await freePort()}`, 'Kafka'],
])('an import where Kafka %s is sent, and says that it is not written down', async (_, findKafka, reason) => {
  status = 200;
  const { exitCode, stdout, stderr } = await importFile(await findKafka());
  expect(JSON.parse(stdout)).toMatchObject({ type: 'general', records: 2, refused: 0 });
  expect(stderr).toMatch(new RegExp(`the console will not show this import: .*${reason}`));
  expect(exitCode).toBe(0);
});

it('an import that the gateway refuses fails, recorded or not', async () => {
  status = 401;
  const { exitCode, stderr } = await importFile(undefined);
  expect(exitCode).toBe(1);
  expect(stderr).toContain('the gateway refuses source or key: 401');
});
