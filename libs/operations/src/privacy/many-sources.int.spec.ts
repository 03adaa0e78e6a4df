import { eventually } from '@sluice/testing';
import { afterAll, beforeAll, expect, inject, it, vi } from 'vitest';
import { type ErasureBed } from './erasure.spec-support.js';
import { type ExportManifest } from './export-person.js';
import { type PersonId } from './people.js';

// Own topics: those of other specs in the same Kafka hold messages that nobody stores.
vi.hoisted(() => {
  process.env['TOPIC_PREFIX'] = `sources${process.pid}.`;
});

const { ErasureBed: Bed } = await import('./erasure.spec-support.js');
const { exportPerson } = await import('./export-person.js');
const { previewErasure } = await import('./preview-erasure.js');
const { requestErasure } = await import('./request-erasure.js');
const { runErasures } = await import('./run-erasures.js');
const { queryRows: select, TableServers } = await import('./servers.js');

const count = 5_000;
/** More than there are tables of people, and far fewer than there are sources. */
const maxQuestions = 20;
const sources = Array.from({ length: count }, (_, index) => `Src${String(index).padStart(9, '0')}`);
const ids: PersonId[] = sources.map((source) => ({ source, kind: 'user', id: 'ann' }));

/** In each source: two events and an identify of ann on a device of her own, and an event of someone on the next source's. */
const insertQuery = (table: string, device: string, user: string, columns = ''): string =>
  `INSERT INTO ${table} (source_id, user_id, anonymous_id, message_id, timestamp, received_at${columns === '' ? '' : ', event'})
   SELECT concat('Src', leftPad(toString(number), 9, '0')), '${user}', ${device}, generateUUIDv4(), now64(3), now64(3)${columns}
   FROM numbers(${count}) SETTINGS async_insert = 0`;
const ownDevice = `concat('device-', toString(number))`;
const next = `concat('device-', toString((number + 1) % ${count}))`;

let bed: ErasureBed;
beforeAll(async () => {
  bed = new Bed(inject('kafkaBrokers'), inject('clickhouseUrl'));
  await bed.prepare();
  for (const query of [
    insertQuery('identifies', ownDevice, 'ann'),
    insertQuery('events', ownDevice, 'ann', `, 'bought'`),
    insertQuery('events', ownDevice, '', `, 'seen'`),
    insertQuery('events', next, '', `, 'of someone else'`),
  ])
    await bed.client.command({ query });
}, 120_000);
afterAll(() => bed.stop());

async function countQuestions<T>(work: (resources: Awaited<ReturnType<ErasureBed['resources']>>) => Promise<T>) {
  const resources = await bed.resources();
  const [query, exec] = [vi.spyOn(resources.servers.reader, 'query'), vi.spyOn(resources.servers.reader, 'exec')];
  const answer = await work(resources);
  return { answer, questions: query.mock.calls.length + exec.mock.calls.length };
}

it('a person of 5,000 sources is found with a few questions, and nobody else', async () => {
  const { answer, questions } = await countQuestions((resources) => previewErasure(resources, ids, false));
  expect(answer).toMatchObject({ ids: { user: 1, anonymous: count }, othersDevices: 0 });
  expect(answer.rowsBySource).toHaveLength(count);
  expect(answer.rowsBySource[0]?.rows).toEqual({ events: 2, identifies: 1 });
  expect(answer.rows).toEqual({ events: 2 * count, identifies: count });
  expect(questions).toBeLessThan(maxQuestions);

  const reverse = await countQuestions((resources) => previewErasure(resources, ids, true));
  expect(reverse.answer.rows).toEqual(answer.rows);
  expect(reverse.questions).toBeLessThan(maxQuestions + 5);
});

it('they are exported with a few questions', async () => {
  const lines = new Map<string, string>();
  const write = async (file: string, content: AsyncIterable<Uint8Array>): Promise<void> => {
    const chunks: Uint8Array[] = [];
    for await (const chunk of content) chunks.push(chunk);
    lines.set(file, Buffer.concat(chunks).toString());
  };
  const { answer, questions } = await countQuestions(({ kafka, servers, tables }) =>
    exportPerson({ kafka, servers, tables, ids, isReverse: false, target: { write }, maxMs: 10_000 }),
  );
  const rows = Object.fromEntries((answer satisfies ExportManifest).tables.map(({ table, rows }) => [table, rows]));
  expect(rows).toMatchObject({ events: 2 * count, identifies: count });
  expect(lines.get('events.ndjson')).not.toContain('of someone else');
  expect(questions).toBeLessThan(maxQuestions);
});

it('questions end in ClickHouse when the one who asked has left, and after their time', async () => {
  const leaving = new AbortController();
  const servers = new TableServers(bed.config, { signal: leaving.signal, maxSeconds: 120 });
  const mark = `left ${bed.config.CLICKHOUSE_DATABASE}`;
  const slow = `SELECT sleepEachRow(0.05), '${mark}' FROM numbers(4000) SETTINGS max_block_size = 1`;
  const running = async (): Promise<number> =>
    (await bed.rows(`SELECT 1 FROM system.processes WHERE query LIKE '%${mark}%' AND query NOT LIKE '%processes%'`))
      .length;
  try {
    const answer = select(servers.reader, slow);
    answer.catch(() => undefined);
    await eventually(async () => expect(await running()).toBe(1));
    leaving.abort();
    await expect(answer).rejects.toThrow('cannot be used');
    await eventually(async () => expect(await running()).toBe(0), 5_000);
    await expect(select(servers.reader, 'SELECT 1')).rejects.toThrow();
  } finally {
    await servers.close();
  }
  const impatient = new TableServers(bed.config, { maxSeconds: 1 });
  await expect(select(impatient.reader, slow)).rejects.toThrow('TIMEOUT_EXCEEDED');
  await impatient.close();
});

it('they are erased in one batch, and nobody else', { timeout: 300_000 }, async () => {
  const resources = await bed.resources();
  const { request } = await requestErasure(resources, { ids, by: 'test' });
  await runErasures(resources, { requests: [request], pauseMs: 100, maxMs: 240_000, gatherMs: 0 });
  expect(resources.store.find(request)).toMatchObject({
    state: 'waiting',
    rows: { events: 2 * count, identifies: count },
  });
  expect(await bed.rows('SELECT event, count()::UInt32 AS n FROM events GROUP BY event')).toEqual([
    { event: 'of someone else', n: count },
  ]);
});
