import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClickHouse, migrate } from '@sluice/clickhouse';
import { findMigrations, type StoredVerdicts, type SourceView } from '@sluice/operations';
import { type Plan } from '@sluice/plans';
import type {} from '@sluice/testing'; // types of `inject`
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it, vi } from 'vitest';
import { json, operator } from '../operator.spec-support.js';

const config = {
  CLICKHOUSE_URL: inject('clickhouseUrl'),
  CLICKHOUSE_DATABASE: `plans_${randomUUID().replaceAll('-', '')}`,
  CLICKHOUSE_USER: 'default',
  CLICKHOUSE_PASSWORD: '',
};
const client = createClickHouse(config);

let folder: string;
let source: string;

beforeAll(async () => {
  vi.stubEnv('SLUICE_DATA_DIR', '/no/such/folder');
  vi.stubEnv('KAFKA_BROKERS', inject('kafkaBrokers').join(','));
  vi.stubEnv('CLICKHOUSE_URL', config.CLICKHOUSE_URL);
  vi.stubEnv('CLICKHOUSE_DATABASE', config.CLICKHOUSE_DATABASE);
  folder = await mkdtemp(join(tmpdir(), 'sluice-plans-'));
  await migrate(config, await findMigrations());
});
beforeEach(async () => {
  const createdSource = await json<SourceView>('sources', 'create', '--name', 'Planned', '--type', 'web-sdk');
  source = createdSource.sourceIdentifier;
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await client.command({ query: `DROP DATABASE ${config.CLICKHOUSE_DATABASE}` });
  await client.close();
  await rm(folder, { recursive: true });
});

const order: Plan['events'] = {
  order: { properties: { id: { type: 'string' }, total: { type: 'number' } }, required: ['id'] },
};

async function file(value: unknown): Promise<string> {
  const path = join(folder, `${randomUUID()}.json`);
  await writeFile(path, typeof value === 'string' ? value : JSON.stringify(value));
  return path;
}
const planFile = (version: number, events = order, members: object = {}): Promise<string> =>
  file({ version, sources: [source], events, ...members });

async function importPlan(version: number, events = order): Promise<void> {
  expect(await operator('plans', 'import', await planFile(version, events))).toMatchObject({ exitCode: 0, stderr: '' });
}

/** Stores events as the consumer does: the verdict is on the row. */
async function store(
  rows: readonly { event?: string; properties: object; daysAgo?: number; version?: number; violations?: string[] }[],
) {
  const values = rows.map(({ event = 'order', properties, daysAgo = 0, version = 0, violations = [] }, index) => {
    const receivedAt = new Date(Date.now() - daysAgo * 86_400_000 - 1_000).toISOString();
    const row = {
      source_id: source,
      event,
      timestamp: receivedAt,
      received_at: receivedAt,
      properties,
      user_id: `u-${index}`,
    };
    return { ...row, message_id: randomUUID(), ...(version > 0 && { plan_version: version, violations }) };
  });
  const clickhouse_settings = { date_time_input_format: 'best_effort' } as const;
  await client.insert({ table: 'events', values, format: 'JSONEachRow', clickhouse_settings });
}

describe('import', () => {
  it('shows the differences, writes nothing when it is dry, and is safe to repeat', async () => {
    await importPlan(1);
    const changed = await planFile(2, { order: { ...order['order'], required: [] }, login: {} });
    const dry = await json('plans', 'import', changed, '--dry-run');
    expect(dry).toMatchObject({ version: 2, created: [source], before: 1 });
    expect((await operator('plans', 'show', source, '--plan', '2')).exitCode).toBe(1);
    const { stdout } = await operator('plans', 'import', changed, '--dry-run');
    expect(stdout).toContain(`Version 2 would be written for ${source}.`);
    expect(stdout).toContain('+ events.login: {}');
    expect(stdout).toContain('~ events.order.required: ["id"] -> []');

    expect(await json('plans', 'import', changed)).toEqual(dry);
    expect(await json('plans', 'import', changed)).toMatchObject({ created: [], unchanged: [source] });
    expect((await operator('plans', 'import', changed)).stdout).toBe(
      `Version 2 is stored for ${source} already; nothing changes.\n`,
    );
  });

  it('never changes a version', async () => {
    await importPlan(1);
    const answer = await operator('plans', 'import', await planFile(1, { other: {} }));
    expect(answer).toMatchObject({ exitCode: 1, stdout: '' });
    expect(answer.stderr).toContain('give the plan the version 2');
  });

  it('names each wrong member of a file, and an unknown source', async () => {
    const wrong = await planFile(1, { order: { properties: { id: { type: 'text', pattern: 'x' } } } } as never);
    const answer = await operator('plans', 'import', wrong);
    expect(answer.exitCode).toBe(1);
    expect(answer.stderr).toContain('events.order.properties.id.type: must be one of string');
    expect(answer.stderr).toContain('events.order.properties.id.pattern: a plan has no regular expressions');
    const elsewhere = await file({ version: 1, sources: ['Unknown12345'], events: order });
    expect((await operator('plans', 'import', elsewhere)).stderr).toContain('There is no source Unknown12345');
    expect((await operator('plans', 'import', await file('{'))).stderr).toContain('is not JSON');
    expect((await operator('plans', 'import', 'nowhere.json')).stderr).toContain('There is no file nowhere.json');
  });

  it('converts a plan of RudderStack, and refuses one that it cannot express', async () => {
    const rules = {
      type: 'object',
      properties: { properties: { type: 'object', properties: { id: { type: 'string' } } } },
    };
    const foreign = await file({ name: 'Shop', events: [{ name: 'Order Completed', eventType: 'track', rules }] });
    const importOptions = ['--from', 'rudderstack', '--source', source];
    expect((await operator('plans', 'import', foreign, ...importOptions)).stderr).toContain('--snake-case renames');
    expect(await json('plans', 'import', foreign, ...importOptions, '--snake-case')).toMatchObject({
      version: 1,
      created: [source],
    });
    const plan = await json<Plan>('plans', 'export', source);
    expect(plan.events).toEqual({
      order_completed: { properties: { id: { type: 'string' } }, additionalProperties: true },
    });
    expect(await json('plans', 'import', await file(plan))).toMatchObject({ created: [], unchanged: [source] });
  });
});

describe('activate', () => {
  it('changes nothing without --yes', async () => {
    await importPlan(1);
    const { stdout } = await operator('plans', 'activate', source, '--plan', '1');
    expect(stdout).toContain('Nothing was changed');
    expect(stdout).toContain('+ events.order');
    expect((await operator('plans', 'activate', source, '--plan', '1', '--yes')).stdout).toContain(
      'within two seconds',
    );
    const listed = await json<{ source: string; state: string; mode: string }[]>('plans', 'list');
    expect(listed.filter((plan) => plan.source === source)).toMatchObject([
      { version: 1, state: 'active', mode: 'observe' },
    ]);
    await operator('plans', 'activate', source, '--none', '--yes');
    expect(await json('plans', 'show', source)).not.toHaveProperty('activation');
  });

  it('keeps what is not named, and adds a candidate', async () => {
    await importPlan(1);
    await importPlan(2, { login: {} });
    await operator('plans', 'activate', source, '--plan', '1', '--yes');
    const drop = (await operator('plans', 'activate', source, '--plan', '1', '--mode', 'drop', '--yes')).stdout;
    expect(drop).toContain('Mode: observe -> drop');
    expect(drop).toContain('cannot be restored');
    expect(drop).not.toContain('Differences');
    const observed = (await operator('plans', 'activate', source, '--candidate', '2', '--yes')).stdout;
    expect(observed).toContain('Differences of candidate 2 from 1:\n\n- events.order');
    const preview = (await operator('plans', 'activate', source, '--plan', '1,2')).stdout;
    expect(preview).toContain('A message that fits one of these versions fits.');
    expect(preview).not.toContain('observed no longer');
    const alone = (await operator('plans', 'activate', source, '--mode', 'observe')).stdout;
    expect(alone).toContain('Candidate 2 would be observed no longer.');
    expect(await json('plans', 'show', source)).toMatchObject({
      activation: { versions: [1], mode: 'drop', candidate: 2 },
    });
    expect((await operator('plans', 'activate', source, '--plan', '3', '--yes')).stderr).toContain('it has 1, 2');
    const ended = (await operator('plans', 'activate', source, '--mode', 'observe', '--yes')).stdout;
    expect(ended).toContain('Candidate 2 is observed no longer.');
  });

  it('lets a plan refuse only after seven days of observation, and shows the share', async () => {
    await importPlan(1);
    const refuse = ['plans', 'activate', source, '--plan', '1', '--mode', 'refuse'];
    expect((await operator(...refuse, '--yes')).stderr).toContain('it has judged nothing yet');
    await store([{ properties: { id: 'x' }, daysAgo: 2, version: 1 }]);
    expect((await operator(...refuse, '--yes')).stderr).toContain('it has judged messages since');
    await store([
      { properties: { id: 'x' }, daysAgo: 8, version: 1 },
      { properties: {}, daysAgo: 1, version: 1, violations: ['missing:id'] },
    ]);
    const preview = await json<{ observation: unknown }>(...refuse);
    expect(preview.observation).toMatchObject({ judged: 2, violating: 1, share: 0.5, isLongEnough: true });
    expect((await operator(...refuse, '--yes')).stdout).toContain('refused from now on  1 (50.00 %)');
  });
});

describe('compare', () => {
  it('judges stored messages by a version that is not active, or by a file', async () => {
    await importPlan(1);
    await store([
      { properties: { id: 'a', total: 5 } },
      { properties: { id: 7, 'x.y': 1 } },
      { event: 'login', properties: {} },
      { properties: { id: 'old' }, daysAgo: 10 },
    ]);
    const comparison = await json<StoredVerdicts>('plans', 'compare', source, '--plan', '1');
    expect(comparison.events).toEqual([
      {
        event: 'order',
        stored: 2,
        judged: 2,
        violating: 1,
        violations: [
          ['wrong_type:id', 1],
          ['unknown:x', 1],
        ],
      },
      { event: 'login', stored: 1, judged: 1, violating: 1, violations: [['unknown_event', 1]] },
    ]);
    const open = await planFile(9, order, { additionalEvents: true });
    const answer = await operator('plans', 'compare', source, '--file', open, '--days', '30');
    expect(answer.stdout).toContain('Version 9 would not accept 25.00 % of the messages');
  });
});

describe('infer', () => {
  it('drafts a plan that all stored messages fit, and that import takes', async () => {
    const orders = Array.from({ length: 1_200 }, (_, index) => ({
      properties: {
        id: `o-${index}`,
        total: index % 2 === 0 ? index : index + 0.5,
        items: [index],
        currency: ['EUR', 'IRR'][index % 2],
        paid: index % 3 === 0,
        address: { city: `City ${index}`, ...(index % 2 === 0 && { zip: index }) },
      },
    }));
    const login = { event: 'login', properties: { method: 'mail' } };
    await store([...orders, login, { event: 'bb_notification_clicked', properties: { token: 'x' } }]);
    const { stdout, stderr } = await operator('plans', 'infer', '--source', source);
    expect(stderr).toBe('Fewer than 1,000 messages, so that nothing is required: login.\n');
    const plan = JSON.parse(stdout) as Plan;
    expect(plan).toEqual({
      version: 1,
      sources: [source],
      mode: 'observe',
      events: {
        order: {
          properties: {
            address: {
              type: 'object',
              properties: { city: { type: 'string' }, zip: { type: 'number' } },
              required: ['city'],
            },
            currency: { type: 'string', enum: ['EUR', 'IRR'] },
            id: { type: 'string' },
            items: { type: 'array', items: { type: 'number' } },
            paid: { type: 'boolean' },
            total: { type: 'number' },
          },
          required: ['address', 'currency', 'id', 'items', 'paid', 'total'],
        },
        login: { properties: { method: { type: 'string' } } },
      },
    });
    const drafted = await file(plan);
    expect(await json('plans', 'import', drafted)).toMatchObject({ created: [source] });
    const { events } = await json<StoredVerdicts>('plans', 'compare', source, '--file', drafted);
    expect(events[0]).toMatchObject({ event: 'order', judged: 1_200, violating: 0 });
    const otherEvents = events.slice(1).map(({ event, violating }) => [event, violating]);
    expect(otherEvents.sort()).toEqual([
      ['bb_notification_clicked', 0],
      ['login', 0],
    ]);
  });
});

describe('types', () => {
  it('prints types and JSON Schema of a file without any server', async () => {
    const path = await planFile(1);
    vi.stubEnv('KAFKA_BROKERS', '');
    const ts = await operator('plans', 'types', path, '--lang', 'ts');
    expect(ts.stdout).toContain('export interface TrackingPlan {');
    const schema = await operator('plans', 'types', path, '--lang', 'json-schema');
    expect(JSON.parse(schema.stdout)).toMatchObject({
      $defs: { order: { required: ['id'], additionalProperties: false } },
    });
    vi.stubEnv('KAFKA_BROKERS', inject('kafkaBrokers').join(','));
    expect((await operator('plans', 'types', '--lang', 'ts')).stderr).toContain('name a file, or a source');
  });
});
