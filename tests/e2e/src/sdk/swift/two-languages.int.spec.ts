import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { createGunzip } from 'node:zlib';
import { parseBatchFile } from '@sluice/sdk-contract';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { hasSwift, kotlinClassPath, runSwift, SwiftDevice } from '@sluice/sdk-faults';

const minutes = 60_000;
const source = { apiKey: 'k', sourceIdentifier: 'Source000001' };

/** The same folder, read by the cores of both native SDKs. */
describe.skipIf(!hasSwift())('a queue of one language, read by the other', { timeout: 3 * minutes }, () => {
  let classPath: string;
  let folder: string;
  let isDown: boolean;
  let url: string;
  let stop: () => void;
  /** Bodies by Idempotency-Key. */
  let bodies: Map<string, string>;

  beforeAll(async () => {
    await runSwift('build', '--product', 'sluice-device', '-j', '1', '-Xswiftc', '-warnings-as-errors');
    classPath = await kotlinClassPath();
  }, 15 * minutes);

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'sluice-two-'));
    bodies = new Map();
    isDown = false;
    const server = createServer((request, response) => {
      const isPacked = request.headers['content-encoding'] === 'gzip';
      void text(isPacked ? request.pipe(createGunzip()) : request).then((body) => {
        if (isDown) return response.writeHead(503).end();
        bodies.set(String(request.headers['idempotency-key']), body);
        return response.end('{"status":"QUEUED"}');
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    stop = () => {
      server.closeAllConnections();
      server.close();
    };
  });
  afterEach(async () => {
    stop();
    await rm(folder, { recursive: true, force: true });
  });

  async function kotlin(...calls: readonly object[]): Promise<unknown> {
    const args = ['-XX:TieredStopAtLevel=1', '-cp', classPath, 'tech.sluice.testing.TestClientKt'];
    const running = promisify(execFile)('java', [...args, url, source.apiKey, source.sourceIdentifier, folder]);
    running.child.stdin?.end(calls.map((call) => JSON.stringify(call)).join('\n'));
    return JSON.parse((await running).stdout) as unknown;
  }

  /** Request bodies made from the queue's files, by key. */
  async function queued(): Promise<Map<string, string>> {
    const queue = join(folder, 'queue');
    const names = (await readdir(queue)).filter((name) => name.endsWith('.batch'));
    const files = await Promise.all(names.map(async (name) => parseBatchFile(await readFile(join(queue, name)))));
    return new Map(
      files.map((file) => {
        if (file.is !== 'batch') throw new Error('no batch');
        return [String(file.header['key']), `{"list":[${file.messages.join(',')}]}`];
      }),
    );
  }

  const devices = (): Set<string> =>
    new Set(
      [...bodies.values()].flatMap((body) =>
        (JSON.parse(body) as { list: { context: { sdk: { device: string } } }[] }).list.map(
          ({ context }) => context.sdk.device,
        ),
      ),
    );

  it('Swift leaves it, Kotlin sends the same bytes under the same keys, as the same device', async () => {
    await new SwiftDevice('fill', folder, url, source).all();
    const queuedCount = await queued();
    expect(queuedCount.size).toBe(4);
    expect(await kotlin()).toMatchObject({ sent: 9, left: 0, errors: [] });
    expect(bodies).toEqual(queuedCount);
    await kotlin({ track: 'from_kotlin' });
    expect(devices().size).toBe(1);
    expect(await queued()).toEqual(new Map());
  });

  it('Kotlin leaves it, Swift sends the same bytes under the same keys, as the same device', async () => {
    isDown = true;
    const calls = [
      { identify: 'u-1', properties: { city: 'تهران' } },
      { track: 'a' },
      { track: 'b', properties: { n: 0.1 } },
    ];
    expect(await kotlin(...calls)).toMatchObject({ sent: 0, left: 3 });
    const queuedCount = await queued();
    expect(queuedCount.size).toBe(2);
    isDown = false;
    expect(await new SwiftDevice('drain', folder, url, source).all()).toEqual(['left 0']);
    expect(bodies).toEqual(queuedCount);
    await new SwiftDevice('first', folder, url, source).all();
    expect(devices().size).toBe(1);
    expect(await queued()).toEqual(new Map());
  });
});
