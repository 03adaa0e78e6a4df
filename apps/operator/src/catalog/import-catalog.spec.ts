import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { importCatalog, type ImportRequest } from './import-catalog.js';

let folder: string;
let server: Server;
/** Paths and bodies that the server has accepted. */
let taken: string[];
/** Makes the server's answer to a body. */
let answer: (body: string, authorization: string | undefined) => [status: number, body: unknown];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sluice-import-'));
  taken = [];
  answer = () => [200, { status: 'QUEUED' }];
  server = createServer((request, response) => {
    void text(request).then((body) => {
      const [status, content] = answer(body, request.headers.authorization);
      if (status === 200) taken.push(`${request.url ?? ''} ${body}`);
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(content));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterEach(async () => {
  server.closeAllConnections();
  server.close();
  await rm(folder, { recursive: true });
});

async function importing(name: string, content: string | Buffer, change: Partial<ImportRequest> = {}) {
  const file = join(folder, name);
  const kept = await readFile(file).catch(() => undefined);
  if (kept?.equals(Buffer.from(content)) !== true) await writeFile(file, content);
  return importCatalog({
    file,
    type: 'product',
    parallel: 4,
    restart: false,
    timeoutMs: 5_000,
    sourceIdentifier: 'AAAAAAAAAAAA',
    apiKey: 'key',
    onProgress: () => undefined,
    gatewayUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    ...change,
  });
}

const lines = (count: number): string =>
  Array.from({ length: count }, (_, i) => `{"productId":"p${i}","n":1.0000000000000000001}\n`).join('');
const report = async (name: string): Promise<unknown[]> =>
  (await readFile(join(folder, `${name}.report.ndjson`), 'utf8'))
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown);

it('sends each line unchanged to the endpoint of its type, and leaves no files behind', async () => {
  const state = await importing('products.ndjson', `\ufeff${lines(2)}\n\n${lines(1)}`);

  expect(state).toMatchObject({ settled: 3, refused: 0, partlyStored: 0 });
  expect(taken.sort()).toEqual(
    ['p0', 'p0', 'p1'].map(
      (id) => `/api/tracker/catalog/AAAAAAAAAAAA/product {"productId":"${id}","n":1.0000000000000000001}`,
    ),
  );
  expect(await readdir(folder)).toEqual(['products.ndjson']);
});

it('reports refused and partly stored records with line and reasons', async () => {
  const problems = [{ field: 'name', message: 'must be there' }];
  answer = (body) => {
    if (body.includes('p1')) return [400, problems];
    return [200, { status: 'QUEUED', ...(body.includes('p2') && { dropped: problems }) }];
  };
  const state = await importing('products.csv', 'productId,name,totalStock\r\np0,"a\nb",1\r\np1,,2\r\np2,c,3\r\n');

  expect(state).toMatchObject({ settled: 3, refused: 1, partlyStored: 1 });
  expect(await report('products.csv')).toEqual([
    { line: 4, stored: false, problems, record: '{"productId":"p1","totalStock":2}' },
    { line: 5, stored: true, problems, record: '{"productId":"p2","name":"c","totalStock":3}' },
  ]);
});

it('continues where it was interrupted, with the report of both parts', async () => {
  const refusedThird = (body: string): [number, unknown] =>
    /p[0-9]*3"/.test(body) ? [400, [{ field: 'x', message: 'no' }]] : [200, { status: 'QUEUED' }];
  answer = (body) => (body.includes('"p50"') ? [401, [{ field: '', message: 'key' }]] : refusedThird(body));
  await expect(importing('products.ndjson', lines(100))).rejects.toThrow('refuses source or key: 401 key');
  expect(taken.length).toBeLessThan(60);

  taken = [];
  answer = refusedThird;
  const state = await importing('products.ndjson', lines(100));

  expect(state).toMatchObject({ settled: 100, refused: 10 });
  expect(taken).toHaveLength(45);
  expect((await report('products.ndjson')).map((entry) => (entry as { line: number }).line)).toEqual([
    4, 14, 24, 34, 44, 54, 64, 74, 84, 94,
  ]);
});

it('starts from the beginning when the file has changed, or with --restart', async () => {
  answer = (body) => (body.includes('"p5"') ? [404, [{ field: '', message: 'source' }]] : [200, {}]);
  const isCutOff = expect.objectContaining({ message: expect.stringContaining('404 source') as string }) as unknown;
  await expect(importing('products.ndjson', lines(10))).rejects.toEqual(isCutOff);
  answer = () => [200, {}];

  taken = [];
  await importing('products.ndjson', lines(10), { restart: true });
  expect(taken).toHaveLength(10);

  answer = (body) => (body.includes('"p5"') ? [404, [{ field: '', message: 'source' }]] : [200, {}]);
  await expect(importing('products.ndjson', lines(10))).rejects.toEqual(isCutOff);
  answer = () => [200, {}];
  taken = [];
  await importing('products.ndjson', lines(11));
  expect(taken).toHaveLength(11);
});

it('starts from the beginning for another gateway', async () => {
  answer = (body) => (body.includes('"p5"') ? [404, [{ field: '', message: 'source' }]] : [200, {}]);
  await expect(importing('products.ndjson', lines(10))).rejects.toThrow('404 source');

  answer = () => [200, {}];
  taken = [];
  const { port } = server.address() as AddressInfo;
  await importing('products.ndjson', lines(10), { gatewayUrl: `http://localhost:${port}` });
  expect(taken).toHaveLength(10);
});

it('retries while the gateway cannot take a record', async () => {
  let refusals = 3;
  answer = () => (refusals-- > 0 ? [503, [{ field: '', message: 'busy' }]] : [200, {}]);

  expect(await importing('products.ndjson', lines(5))).toMatchObject({ settled: 5, refused: 0 });
  expect(taken).toHaveLength(5);
});

it('gives up when no record is taken for too long, and says why', async () => {
  answer = () => [503, [{ field: '', message: 'busy' }]];

  await expect(importing('products.ndjson', lines(5), { timeoutMs: 300 })).rejects.toThrow(
    /^the gateway at http:\/\/127\.0\.0\.1:\d+ cannot be used: 503 busy$/,
  );
});

it('sends no record of a CSV with a column that the type does not have', async () => {
  await expect(importing('products.csv', 'productId,nmae\np0,a\n')).rejects.toThrow(
    /columns that a product does not have: nmae; it has .*name/,
  );
  expect(taken).toEqual([]);
});

it('sends no record of a CSV with two columns of one name', async () => {
  await expect(importing('products.csv', 'productId,name,name\np0,a,b\n')).rejects.toThrow(
    'columns that are named more than once: name',
  );
  expect(taken).toEqual([]);
});

it('reports lines of a CSV with too few or too many cells, and sends the others', async () => {
  const state = await importing('products.csv', 'productId,name\np0,a\np1\n\np2,b,c\np3,d\n');

  expect(state).toMatchObject({ settled: 4, refused: 2 });
  expect(taken.map((one) => one.split(' ')[1]).sort()).toEqual([
    '{"productId":"p0","name":"a"}',
    '{"productId":"p3","name":"d"}',
  ]);
  const problem = (cells: number) => [{ field: '', message: `the line has ${cells} cells, the first row names 2` }];
  expect(await report('products.csv')).toEqual([
    { line: 3, stored: false, problems: problem(1), record: '["p1"]' },
    { line: 5, stored: false, problems: problem(3), record: '["p2","b","c"]' },
  ]);
});

it.each([
  ['products.ndjson', '{"productId":"p\xe9"}\n'],
  ['products.csv', 'productId,name\np0,caf\xe9\n'],
])('sends no record of a %s that is not UTF-8', async (name, content) => {
  await expect(importing(name, Buffer.from(content, 'latin1'))).rejects.toThrow(/products.* is not UTF-8/);
  expect(taken).toEqual([]);
});

it.each([
  ['a missing file', 'none.ndjson', undefined],
  ['a malformed CSV', 'products.csv', 'productId,name\n"p0,a\n'],
])('says that %s cannot be read', async (_, name, content) => {
  const file = join(folder, name);
  if (content !== undefined) await writeFile(file, content);
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const request = { file, type: 'product', parallel: 4, restart: false, timeoutMs: 300, gatewayUrl: url } as const;

  await expect(
    importCatalog({ ...request, sourceIdentifier: 'A', apiKey: 'k', onProgress: () => undefined }),
  ).rejects.toThrow(/cannot be read/);
});
