import { randomBytes, randomUUID } from 'node:crypto';
import { hostname, userInfo } from 'node:os';
import { CompactedTopicFollower, createKafka } from '@sluice/kafka';
import { freePort } from '@sluice/testing';
import { afterEach, beforeEach, describe, expect, inject, it, vi } from 'vitest';
import { type SourceView } from '@sluice/operations';
import { json, operator } from './operator.spec-support.js';

const database = `operator_${randomUUID().replaceAll('-', '')}`;

interface IssuedKey {
  keyId: string;
  apiKey: string;
}
interface ActionRow {
  object: string;
  operation: string;
  outcome: string;
}

/** Records about an object in `audit.v1`, oldest first. */
async function readActions(object: string): Promise<ActionRow[]> {
  const rows: ActionRow[] = [];
  const take = ({ value }: { value: Buffer | null }): void => {
    rows.push(JSON.parse(String(value)) as ActionRow);
  };
  const kafka = createKafka({ KAFKA_BROKERS: inject('kafkaBrokers') }, 'test');
  const follower = new CompactedTopicFollower(kafka, 'audit.v1', () => ({ take, caughtUp: () => undefined }));
  try {
    await follower.start();
    return rows.filter((row) => row.object === object);
  } finally {
    await follower.stop();
  }
}

const createSource = () => json<SourceView & IssuedKey>('sources', 'create', '--name', 'Shop', '--type', 'web-sdk');

beforeEach(() => {
  vi.stubEnv('SLUICE_DATA_DIR', '/no/such/folder');
  vi.stubEnv('KAFKA_BROKERS', inject('kafkaBrokers').join(','));
  vi.stubEnv('CLICKHOUSE_URL', inject('clickhouseUrl'));
  vi.stubEnv('CLICKHOUSE_DATABASE', database);
});
afterEach(() => {
  vi.unstubAllEnvs();
});

it('mints a push token only for an existing source, unless --force is given', async () => {
  vi.stubEnv('PUSH_TOKEN_KEYS', `k:${randomBytes(32).toString('base64url')}`);
  const attribution = ['--campaign', 'c', '--variation', 'v', '--profile', 'p', '--channel', 'x', '--provider', 'y'];
  const mint = (source: string, ...options: string[]) =>
    operator('push-token', 'mint', '--source', source, ...attribution, ...options);
  const { sourceIdentifier } = await createSource();

  expect(await mint(sourceIdentifier)).toMatchObject({ exitCode: 0, stderr: '' });
  const unknown = await mint('Unknown12345');
  expect(unknown).toMatchObject({ exitCode: 1, stdout: '' });
  expect(unknown.stderr).toMatch(/^error: There is no source Unknown12345.*--force/);
  expect(await mint('Unknown12345', '--force')).toMatchObject({ exitCode: 0, stderr: '' });
});

describe('sources', () => {
  it('are created with a key that is never shown again', async () => {
    const { apiKey, keyId, ...source } = await createSource();
    expect(apiKey).toMatch(/^[\w-]{43}$/);
    expect(source).toMatchObject({ name: 'Shop', type: 'web-sdk', status: 'enabled', keys: [{ keyId }] });

    expect(await json<SourceView>('sources', 'show', source.sourceIdentifier)).toEqual(source);
    expect(await json<SourceView[]>('sources', 'list')).toContainEqual(source);
    const { stdout } = await operator('sources', 'show', source.sourceIdentifier);
    expect(stdout).toContain(keyId);
    expect(stdout).not.toContain(apiKey);
    expect(stdout).not.toMatch(/[0-9a-f]{64}/);
  });

  it('have two keys while rotating, and a third only when one is revoked', async () => {
    const { sourceIdentifier, keyId } = await createSource();
    const second = await json<IssuedKey>('sources', 'rotate-key', sourceIdentifier);
    expect(second.keyId).not.toBe(keyId);

    const refused = await operator('sources', 'rotate-key', sourceIdentifier);
    expect(refused).toMatchObject({ exitCode: 1, stdout: '' });
    expect(refused.stderr).toContain('revoke one first');

    const revoked = await json<{ revokedAt: string }>('sources', 'revoke-key', sourceIdentifier, '--key-id', keyId);
    const { keys } = await json<SourceView>('sources', 'show', sourceIdentifier);
    expect(keys).toMatchObject([{ keyId, revokedAt: revoked.revokedAt }, { keyId: second.keyId }]);
    expect(await json('sources', 'rotate-key', sourceIdentifier)).toHaveProperty('apiKey');
  });

  it('are disabled and enabled', async () => {
    const { sourceIdentifier } = await createSource();

    expect(await json('sources', 'disable', sourceIdentifier)).toMatchObject({ sourceIdentifier, status: 'disabled' });
    expect(await json<SourceView>('sources', 'show', sourceIdentifier)).toMatchObject({ status: 'disabled' });
    expect(await json('sources', 'enable', sourceIdentifier)).toMatchObject({ sourceIdentifier, status: 'enabled' });
  });

  it('change only after it is recorded who does what; then the outcome is recorded', async () => {
    const { sourceIdentifier } = await createSource();
    await operator('sources', 'show', sourceIdentifier);
    await operator('sources', 'disable', sourceIdentifier);
    await operator('sources', 'revoke-key', sourceIdentifier, '--key-id', 'x');

    const by = { actor: userInfo().username, role: 'shell', face: 'operator', origin: hostname() };
    const disable = { ...by, operation: 'sources.status', details: '{"status":"disabled"}' };
    const revoke = { ...by, operation: 'sources.revoke-key', details: '{"keyId":"x"}' };
    expect(await readActions(sourceIdentifier)).toMatchObject([
      { ...disable, outcome: 'intended' },
      { ...disable, outcome: 'done' },
      { ...revoke, outcome: 'intended' },
      { ...revoke, outcome: 'failed', error: `Source ${sourceIdentifier} has no key x.` },
    ]);
  });
});

describe('migrate', () =>
  it('creates missing topics and tables, and nothing the second time', async () => {
    const first = await json<{ topics: string[]; migrations: string[] }>('migrate');
    expect(first.migrations).toContain('tracking/0001-events');

    expect(await json('migrate')).toEqual({
      topics: [],
      topicChanges: [],
      migrations: [],
      tableChanges: [],
      repairs: [],
    });
    expect(await operator('migrate')).toEqual({
      exitCode: 0,
      stdout: 'All topics and tables are up to date.\n',
      stderr: '',
    });
  }));

describe('a failure gives one message and exit code 1', () => {
  it.each([
    ['an unknown command', ['source'], "unknown command 'source'"],
    ['an unknown subcommand', ['sources', 'delete'], "unknown command 'sources delete'"],
    ['a misspelt command', ['source'], 'Did you mean sources?'],
    ['an unknown option', ['sources', 'list', '--all'], "unknown option '--all'"],
    ['a word too many', ['sources', 'list', 'x'], 'too many arguments'],
    ['a missing argument', ['sources', 'show'], "missing required argument 'sourceIdentifier'"],
    ['a missing option', ['sources', 'create', '--name', 'x'], 'tracking-api|web-sdk|android-sdk|ios-sdk|catalog-api'],
    ['a bad type', ['sources', 'create', '--name', 'x', '--type', 'fax'], 'one of tracking-api, web-sdk'],
    ['a blank name', ['sources', 'create', '--name', ' ', '--type', 'web-sdk'], 'the name must not be blank'],
    ['an unknown source', ['sources', 'show', 'AAAAAAAAAAAA'], 'no source AAAAAAAAAAAA'],
    ['a file of unknown content', ['catalog', 'import', 'x.csv', '--source', 'A'], 'add --type seller|product|'],
    ['a bad entity type', ['catalog', 'import', 'x', '--source', 'A', '--type', 'x'], '--type must be one of seller'],
    ['no source to import to', ['catalog', 'import', 'products.csv'], "required option '--source"],
    ['no key to import with', ['catalog', 'import', 'products.csv', '--source', 'A'], 'the key of A is needed'],
    ['no catalog to list issues of', ['catalog', 'issues'], "required option '--source"],
    ['a bad number of days', ['catalog', 'issues', '--source', 'A', '--days', '0'], '--days must be a whole number'],
    ['no key id', ['sources', 'revoke-key', 'AAAAAAAAAAAA'], "required option '--key-id <keyId>'"],
  ])('%s', async (_, args, message) => {
    const answer = await operator(...args, '--json');

    expect(answer).toMatchObject({ exitCode: 1, stdout: '' });
    expect(answer.stderr).toMatch(/^error: /);
    expect(answer.stderr).toContain(message);
    expect(answer.stderr).not.toContain('    at ');
  });

  it('a key that the source does not have', async () => {
    const { sourceIdentifier } = await createSource();

    const { exitCode, stderr } = await operator('sources', 'revoke-key', sourceIdentifier, '--key-id', 'x');

    expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: `error: Source ${sourceIdentifier} has no key x.\n` });
  });

  it('no servers named', async () => {
    vi.stubEnv('KAFKA_BROKERS', undefined);
    vi.stubEnv('CLICKHOUSE_URL', undefined);

    const { stderr } = await operator('migrate');

    for (const words of ['KAFKA_BROKERS', 'CLICKHOUSE_URL', 'npm start']) expect(stderr).toContain(words);
  });

  it('Kafka is unavailable, and ClickHouse is not needed', async () => {
    vi.stubEnv('KAFKA_BROKERS', `127.0.0.1:${await freePort()}`);
    vi.stubEnv('CLICKHOUSE_URL', undefined);

    const { exitCode, stderr } = await operator('sources', 'list');

    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/^error: Kafka at 127\.0\.0\.1:\d+ cannot be used: .*ECONNREFUSED.*\n$/);
  });

  it('ClickHouse is unavailable', async () => {
    vi.stubEnv('CLICKHOUSE_URL', `http://127.0.0.1:${await freePort()}`);

    const { exitCode, stderr } = await operator('migrate');

    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/^error: ClickHouse at http:\/\/127\.0\.0\.1:\d+ cannot be used: .*ECONNREFUSED.*\n$/);
  });
});

describe('help', () => {
  it.each([
    [[], 'sources'],
    [['sources'], 'rotate-key'],
    [['sources', 'create'], '--type <tracking-api|'],
    [['catalog', 'import'], '--parallel <requests>'],
    [['migrate'], '--json'],
  ])('of %j', async (args, word) => {
    const answer = await operator(...args, '--help');

    expect(answer).toMatchObject({ exitCode: 0, stderr: '' });
    expect(answer.stdout).toContain(['Usage: operator', ...args].join(' '));
    expect(answer.stdout).toContain(word);
  });

  it('is printed to stderr for a noun without a subcommand', async () => {
    const { exitCode, stdout, stderr } = await operator('sources', '--json');

    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' });
    expect(stderr).toContain('Usage: operator sources');
  });
});
