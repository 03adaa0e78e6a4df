import { once } from 'node:events';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { importFormats } from './formats/formats.js';
import { importExport } from './import-export.js';

it('marks the batch that an interrupted import may have sent as a repeat, also the very first', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-import-'));
  const marks: (string | undefined)[] = [];
  let takes = 0;
  const server = createServer((request, response) => {
    request.resume();
    marks.push(request.headers['x-retry-count'] as string | undefined);
    response.writeHead(takes-- > 0 ? 200 : 401, { 'content-type': 'application/json' }).end('{}');
  });
  try {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const file = join(folder, 'export.jsonl');
    const lines = Array.from({ length: 600 }, (_, i) => `{"uuid":"${i}","event":"e","distinct_id":"u"}\n`);
    await writeFile(file, lines.join(''));
    const importing = () =>
      importExport({
        file,
        from: 'posthog',
        toItems: importFormats.posthog,
        gatewayUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
        writeKey: 'AbCdEf123456_key',
        dryRun: false,
        restart: false,
        timeoutMs: 5_000,
        onProgress: () => undefined,
      });

    await expect(importing()).rejects.toThrow('refuses the batch');
    takes = 1;
    await expect(importing()).rejects.toThrow('refuses the batch');
    takes = 2;
    expect(await importing()).toMatchObject({ settled: 600, refused: 0 });
    takes = 3;
    await importing();
    expect(marks).toEqual([undefined, '1', undefined, '1', undefined, undefined, undefined, undefined]);
    expect(await readdir(folder)).toEqual(['export.jsonl']);
  } finally {
    server.close();
    server.closeAllConnections();
    await rm(folder, { recursive: true });
  }
});
