import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { makeFingerprint, type StoredState } from './current-states.js';
import { importCatalog, type ImportRequest } from './import-catalog.js';
import { StateTexts } from './state-text.js';

let folder: string;
let server: Server;
/** Types and texts of the records that the server has accepted. */
let receivedRecords: string[];
/** Numbers of records of the requests that the server was sent. */
let requestSizes: number[];
type Answer = [status: number, body: unknown];
/** Makes the server's answer to a record. */
let answer: (record: string, authorization: string | undefined) => Answer;
/** Whether the server has the routes of batches. */
let hasBatches: boolean;

interface Problem {
  field: string;
  message: string;
}

/** The answer to a lenient batch of records whose own answers are these. */
function joinAnswers(answers: readonly Answer[]): Answer {
  const whole = answers.find(([status]) => status !== 200 && status !== 400);
  if (whole) return whole;
  const entries = (problems: Problem[] | undefined, index: number): Problem[] =>
    (problems ?? []).map(({ field, message }) => ({ field: `list[${index}].${field}`, message }));
  const rejected = answers.flatMap(([status, body], i) => (status === 400 ? entries(body as Problem[], i) : []));
  const dropped = answers.flatMap(([status, body], i) =>
    status === 200 ? entries((body as { dropped?: Problem[] }).dropped, i) : [],
  );
  if (answers.every(([status]) => status === 400)) return [400, rejected];
  return [200, { status: 'QUEUED', ...(rejected.length > 0 && { rejected }), ...(dropped.length > 0 && { dropped }) }];
}

/** The server's answer to a request, of which it keeps the records that are accepted. */
function answerRequest(path: string, body: string, authorization: string | undefined): Answer {
  const isBatch = path.endsWith('Batch');
  if (isBatch && !hasBatches) return [404, [{ field: '', message: 'error.request.notFound' }]];
  // No record has an object in an array.
  const records = isBatch ? body.slice('{"list":['.length, -2).split(/,(?=\{|\s\{)/) : [body];
  requestSizes.push(records.length);
  const answers = records.map((record) => answer(record, authorization));
  const joined = isBatch ? joinAnswers(answers) : (answers[0] ?? [500, '']);
  const isTaken = joined[0] === 200;
  const type = path.replace(/Batch$/, '');
  for (const [index, record] of records.entries())
    if (isTaken && answers[index]?.[0] === 200) receivedRecords.push(`${type} ${record}`);
  return joined;
}

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sluice-import-'));
  [receivedRecords, requestSizes, hasBatches] = [[], [], true];
  answer = () => [200, { status: 'QUEUED' }];
  server = createServer((request, response) => {
    void text(request).then((body) => {
      const [status, content] = answerRequest(request.url ?? '', body, request.headers.authorization);
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
  const progressText = await readFile(file).catch(() => undefined);
  if (progressText?.equals(Buffer.from(content)) !== true) await writeFile(file, content);
  return importCatalog({
    file,
    type: 'product',
    parallel: 4,
    restart: false,
    roundPrices: false,
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
  expect(receivedRecords.sort()).toEqual(
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

it('rounds prices on request, changes nothing else, and names what it rounded', async () => {
  const variants = [
    '{"variantId":"a","price":183.60000000000002,"n":0.12345678901234567}',
    '{ "price" : 2e-12, "discountedPrice" : 1.9999999999999998, "variantId":"b" }',
    '{"variantId":"c","price":183.6}',
    '{"variantId":"d","price":"183.60000000000002"}',
    '{"variantId":"f","price":12345678901234567890.1234567891}',
    '{"variantId":"e","price":0.30000000000000004,"attributes":{"price":0.30000000000000004}}',
  ];
  const change = { type: 'productVariant', roundPrices: true } as const;
  const state = await importing('variants.ndjson', variants.join('\n'), change);
  expect(state).toMatchObject({ settled: 6, refused: 0, partlyStored: 2 });
  expect(receivedRecords.map((request) => request.slice(request.indexOf('{'))).sort()).toEqual(
    [
      '{"variantId":"a","price":183.6,"n":0.12345678901234567}',
      '{ "price" : 0, "discountedPrice" : 2, "variantId":"b" }',
      ...variants.slice(2),
    ].sort(),
  );
  expect(await report('variants.ndjson')).toMatchObject([
    { line: 1, stored: true, problems: [{ field: 'price', message: '183.60000000000002 was rounded to 183.6' }] },
    {
      line: 2,
      problems: [
        { field: 'price', message: '2e-12 was rounded to 0' },
        { field: 'discountedPrice', message: '1.9999999999999998 was rounded to 2' },
      ],
    },
  ]);
});

it('sends batches of a hundred, in which an entity may occur again', async () => {
  const text = `${lines(250)}${lines(50)}`;
  expect(await importing('products.ndjson', text)).toMatchObject({ settled: 300 });
  expect(requestSizes.sort()).toEqual([100, 100, 100]);
  expect(receivedRecords).toHaveLength(300);
  requestSizes = [];
  await importing('products.ndjson', `${lines(2)}${lines(2)}`);
  expect(requestSizes).toEqual([4]);
});

it('sends records one by one to a gateway without batches', async () => {
  hasBatches = false;
  expect(await importing('products.ndjson', lines(250))).toMatchObject({ settled: 250, refused: 0 });
  expect(receivedRecords).toHaveLength(250);
});

it('a line that is not JSON is sent alone, and breaks no other', async () => {
  answer = (record) => {
    try {
      JSON.parse(record);
      return [200, { status: 'QUEUED' }];
    } catch {
      return [400, [{ field: '', message: 'error.request.malformed' }]];
    }
  };
  const broken = '{"productId":"x"},{"productId":"y"}';
  const state = await importing('products.ndjson', `${lines(3)}${broken}\n${lines(2)}{"productId":\n`);
  expect(state).toMatchObject({ settled: 7, refused: 2 });
  expect(receivedRecords).toHaveLength(5);
  expect(await report('products.ndjson')).toMatchObject([
    { line: 4, record: broken, problems: [{ message: 'error.request.malformed' }] },
    { line: 7, record: '{"productId":' },
  ]);
});

it('finds the records that make a gateway refuse a batch whole', async () => {
  answer = (record) => (record.includes('"p37"') ? [413, [{ field: '', message: 'too large' }]] : [200, {}]);
  const state = await importing('products.ndjson', lines(100));
  expect(state).toMatchObject({ settled: 100, refused: 1 });
  expect(await report('products.ndjson')).toMatchObject([{ line: 38, problems: [{ message: 'too large' }] }]);
  expect(new Set(receivedRecords).size).toBe(99);
});

it('continues where it was interrupted, with the report of both parts', async () => {
  const refusedThird = (body: string): [number, unknown] =>
    /p[0-9]*3"/.test(body) ? [400, [{ field: 'x', message: 'no' }]] : [200, { status: 'QUEUED' }];
  answer = (body) => (body.includes('"p550"') ? [401, [{ field: '', message: 'key' }]] : refusedThird(body));
  await expect(importing('products.ndjson', lines(1_000))).rejects.toThrow('refuses source or key: 401 key');
  expect(receivedRecords.filter((record) => /"p[0-4]?[0-9]{1,2}"/.test(record))).toHaveLength(450);

  receivedRecords = [];
  answer = refusedThird;
  const state = await importing('products.ndjson', lines(1_000));

  expect(state).toMatchObject({ settled: 1_000, refused: 100 });
  expect(receivedRecords).toHaveLength(450);
  expect((await report('products.ndjson')).map((entry) => (entry as { line: number }).line)).toEqual(
    Array.from({ length: 100 }, (_, i) => 10 * i + 4),
  );
});

/** The states that are stored after these records. */
function storeRecords(records: readonly string[]): Map<string, StoredState> {
  const texts = new StateTexts('category');
  return new Map(
    records.map((record) => {
      const { categoryId } = JSON.parse(record) as { categoryId: string };
      const fingerprint = makeFingerprint(texts.readRecord(record)?.text ?? '');
      return [categoryId, { fingerprint, updatedAt: undefined, isInFile: false }];
    }),
  );
}

it('compared with what is stored, sends only what differs, and continues so after an interruption', async () => {
  const type = 'category' as const;
  const category = (n: number, name = 'c') =>
    JSON.stringify({ categoryId: `c${n}`, name, level: 1, isLeaf: true, url: 'https://a.b/c' });
  const records = Array.from({ length: 600 }, (_, n) => category(n));
  const text = [...records, category(1, 'new'), category(1, 'new'), category(2)].join('\n');
  answer = (body) => (body.includes('"c450"') ? [401, [{ field: '', message: 'key' }]] : [200, {}]);
  const states = storeRecords([...records.slice(0, 100), category(700)]);
  await expect(importing('categories.ndjson', text, { type, states })).rejects.toThrow('401 key');
  expect(await readdir(folder)).not.toContain('categories.ndjson.progress.json');
  const received = receivedRecords.length;
  expect(received).toBeGreaterThanOrEqual(300);

  answer = () => [200, {}];
  receivedRecords = [];
  const later = storeRecords(records.slice(0, 400));
  const state = await importing('categories.ndjson', text, { type, states: later });
  expect(state).toMatchObject({ settled: 201 });
  expect(receivedRecords).toHaveLength(201);
  expect(receivedRecords.at(-1)).toContain('"name":"new"');
  expect([...later.values()].every(({ isInFile }) => isInFile)).toBe(true);
});

it('starts from the beginning when the file has changed, or with --restart', async () => {
  answer = (body) => (body.includes('"p105"') ? [404, [{ field: '', message: 'source' }]] : [200, {}]);
  const isCutOff = expect.objectContaining({ message: expect.stringContaining('404 source') as string }) as unknown;
  await expect(importing('products.ndjson', lines(110))).rejects.toEqual(isCutOff);
  answer = () => [200, {}];

  receivedRecords = [];
  await importing('products.ndjson', lines(110), { restart: true });
  expect(receivedRecords).toHaveLength(110);

  answer = (body) => (body.includes('"p105"') ? [404, [{ field: '', message: 'source' }]] : [200, {}]);
  await expect(importing('products.ndjson', lines(110))).rejects.toEqual(isCutOff);
  answer = () => [200, {}];
  receivedRecords = [];
  await importing('products.ndjson', lines(111));
  expect(receivedRecords).toHaveLength(111);
});

it('starts from the beginning for another gateway', async () => {
  answer = (body) => (body.includes('"p105"') ? [404, [{ field: '', message: 'source' }]] : [200, {}]);
  await expect(importing('products.ndjson', lines(110))).rejects.toThrow('404 source');

  answer = () => [200, {}];
  receivedRecords = [];
  const { port } = server.address() as AddressInfo;
  await importing('products.ndjson', lines(110), { gatewayUrl: `http://localhost:${port}` });
  expect(receivedRecords).toHaveLength(110);
});

it('retries while the gateway cannot take a record', async () => {
  let refusals = 3;
  answer = () => (refusals-- > 0 ? [503, [{ field: '', message: 'busy' }]] : [200, {}]);

  expect(await importing('products.ndjson', lines(5))).toMatchObject({ settled: 5, refused: 0 });
  expect(receivedRecords).toHaveLength(5);
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
  expect(receivedRecords).toEqual([]);
});

it('sends no record of a CSV with two columns of one name', async () => {
  await expect(importing('products.csv', 'productId,name,name\np0,a,b\n')).rejects.toThrow(
    'columns that are named more than once: name',
  );
  expect(receivedRecords).toEqual([]);
});

it('reports lines of a CSV with too few or too many cells, and sends the others', async () => {
  const state = await importing('products.csv', 'productId,name\np0,a\np1\n\np2,b,c\np3,d\n');

  expect(state).toMatchObject({ settled: 4, refused: 2 });
  expect(receivedRecords.map((request) => request.split(' ')[1]).sort()).toEqual([
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
  expect(receivedRecords).toEqual([]);
});

it.each([
  ['a missing file', 'none.ndjson', undefined],
  ['a malformed CSV', 'products.csv', 'productId,name\n"p0,a\n'],
])('says that %s cannot be read', async (_, name, content) => {
  const file = join(folder, name);
  if (content !== undefined) await writeFile(file, content);
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const request = {
    file,
    type: 'product',
    parallel: 4,
    restart: false,
    roundPrices: false,
    timeoutMs: 300,
    gatewayUrl: url,
  } as const;

  await expect(
    importCatalog({ ...request, sourceIdentifier: 'A', apiKey: 'k', onProgress: () => undefined }),
  ).rejects.toThrow(/cannot be read/);
});

it.each([',', ';', '\t'])('takes a file as Excel writes it, with %j between cells', async (separator) => {
  const rows = [
    ['productId', 'name', 'isAvailable', '', ''],
    ['p0', '"two\r\nlines"', 'TRUE', '', ''],
    ['p1', 'one', 'FALSE'],
    ['p2', 'odd', 'TRUE', 'x', ''],
  ];
  const state = await importing('products.csv', `\ufeff${rows.map((row) => row.join(separator)).join('\r\n')}\r\n`);
  expect(state).toMatchObject({ settled: 3, refused: 1 });
  expect(receivedRecords.map((body) => body.replace(/^.* (?=\{)/, '')).sort()).toEqual([
    '{"productId":"p0","name":"two\\r\\nlines","isAvailable":true}',
    '{"productId":"p1","name":"one","isAvailable":false}',
  ]);
  // The record of two lines ends on the third.
  expect(await report('products.csv')).toMatchObject([
    { line: 5, problems: [{ message: 'the line has 4 cells, the first row names 3' }] },
  ]);
});

it('a column without a name before others ends the import', () =>
  expect(importing('products.csv', 'productId,,name\np0,1,a\n')).rejects.toThrow('column 2 has no name'));
