import { type LetterList } from '@sluice/console-api';
import { deadLetterTopic, header, identifyTopic, trackTopic } from '@sluice/contracts';
import { createKafka, ensureTopics, type Kafka, LetterIndex } from '@sluice/kafka';
import { eventually } from '@sluice/testing';
import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import { TestConsole } from '../test-console.spec-support.js';
import { Letters } from './letters.js';

// Own letters: every other letter of the installation would be counted.
vi.hoisted(() => {
  process.env['TOPIC_PREFIX'] = `letters${process.pid}.`;
});

const config = { KAFKA_BROKERS: inject('kafkaBrokers'), TOPIC_PARTITIONS: 2, TOPIC_REPLICATION_FACTOR: 1 };
const [shop, rare] = ['AbCdEf123456', 'ZyXwVu987654'];
const common = 'value is not a row';
/** Number of letters that one poisoned release makes; more than one step of a dismissal takes. */
const many = 2_300;
let kafka: Kafka;
let site: TestConsole;
let [editor, viewer] = ['', ''];

const aLetter = (offset: number, { reason = common, source = shop, topic = trackTopic.name } = {}) => ({
  key: `${source}:user-${offset}`,
  value: 'not a row',
  headers: {
    [header.contract]: 'track.v1',
    'dead-letter-reason': reason,
    'dead-letter-topic': topic,
    'dead-letter-partition': '0',
    'dead-letter-offset': String(offset),
    'dead-letter-timestamp': '1700000000000',
  },
});

async function bury(letters: ReturnType<typeof aLetter>[], topic = trackTopic.name): Promise<void> {
  const producer = kafka.producer();
  await producer.connect();
  await producer.send({ topic: deadLetterTopic(topic), messages: letters });
  await producer.disconnect();
}

const list = async (query = ''): Promise<LetterList> =>
  (await site.ask('GET', `/api/dead-letters${query}`, { cookie: viewer })).json<LetterList>();
const dismiss = (body: object, cookie = editor) =>
  site.ask('POST', '/api/dead-letters/dismiss', { cookie, body: { why: 'a test', ...body } });

beforeAll(async () => {
  kafka = createKafka(config, 'test');
  await ensureTopics(kafka, config, [trackTopic, identifyTopic]);
  // The rare ones are the oldest: no list of the newest has them.
  await bury([aLetter(0, { reason: 'CANNOT_PARSE_DATETIME' }), aLetter(1, { source: rare })]);
  await bury([aLetter(7, { topic: identifyTopic.name })], identifyTopic.name);
  await bury(Array.from({ length: many }, (_, i) => aLetter(100 + i)));
  site = await TestConsole.start();
  ({ cookie: editor } = await site.signIn('editor'));
  ({ cookie: viewer } = await site.signIn('viewer'));
}, 90_000);
afterAll(() => site.stop());

describe('thousands of letters', () => {
  it('are counted, and found by reason, source, topic and time, however old', async () => {
    // A question during the first reading is answered by what was read so far.
    await eventually(async () => expect((await list()).isPartial).toBe(false));
    const all = await list('?limit=5');
    expect([all.letters.length, all.found, all.untreated, all.all]).toEqual([5, many + 3, many + 3, many + 3]);
    expect(all.groups.map(({ letters }) => letters)).toEqual([many + 1, 1, 1]);
    for (const query of ['?reason=CANNOT_PARSE', `?source=${rare}`, '?topic=tracking.identify.v1']) {
      expect(await list(query), query).toMatchObject({ found: 1, all: many + 3, next: null });
    }
    const now = new Date().toISOString();
    expect(await list(`?from=${now}`)).toMatchObject({ found: 0, letters: [] });
    expect(await list(`?to=${now}`)).toMatchObject({ found: many + 3 });
  });

  it('come in pages that have each of them once, also while new ones arrive', async () => {
    const ids: string[] = [];
    let after = '';
    for (;;) {
      const { letters, next } = await list(`?topic=tracking.track.v1&limit=1000${after}`);
      ids.push(...letters.map(({ id }) => id));
      if (ids.length === 1_000) await bury([aLetter(10)]);
      if (next === null) break;
      after = `&after=${encodeURIComponent(next)}`;
    }
    expect(ids).toHaveLength(many + 2);
    expect(new Set(ids).size).toBe(many + 2);
    expect((await site.ask('GET', '/api/dead-letters?after=x', { cookie: viewer })).statusCode).toBe(400);
  });

  it('are dismissed in steps, only those that match, until the verdict is OK', async () => {
    expect((await dismiss({}, viewer)).statusCode).toBe(403);
    expect((await dismiss({ source: rare })).json()).toEqual({ letters: 1, remaining: 0 });
    expect(await list()).toMatchObject({ untreated: many + 3 });
    const steps: unknown[] = [];
    for (let remaining = 1; remaining > 0;) {
      const answer = (await dismiss({ reason: common })).json<{ letters: number; remaining: number }>();
      steps.push(answer.letters);
      ({ remaining } = answer);
    }
    expect(steps).toEqual([1_000, 1_000, many + 2 - 2_000]);
    const letters = site.app.get(Letters);
    const { verdict, summary } = await letters.status();
    expect([verdict, summary.slice(0, 5)]).toEqual(['attention', '1 of ']);
    expect((await dismiss({})).json()).toEqual({ letters: 1, remaining: 0 });
    await eventually(async () => expect(await letters.status()).toMatchObject({ verdict: 'ok' }));
  });
});

it('an index beyond its bound leaves the oldest out, and counts them', async () => {
  const index = new LetterIndex(kafka, [trackTopic.name], ({ reason }) => reason === 'CANNOT_PARSE_DATETIME', 100_000);
  await index.refresh();
  await index.refresh();
  expect(index.letters.length).toBeLessThan(500);
  expect(index.letters.length + index.unlisted).toBe(many + 3);
  expect(index.letters.some(({ reason }) => reason === 'CANNOT_PARSE_DATETIME')).toBe(false);
  // Those that someone has dealt with are not untreated; those that are dismissed together are no longer.
  expect(index.countUnlistedUntreated(-Infinity)).toBe(index.unlisted - 1);
  expect(index.countUnlistedUntreated(index.unlistedUntil - 1)).toBe(index.unlisted - 1);
  expect(index.countUnlistedUntreated(index.unlistedUntil)).toBe(0);
  // They are still found, and no letter that is listed comes again.
  const read = await index.readUnlisted(() => true);
  expect(read).toHaveLength(index.unlisted);
  expect(read.filter(({ id }) => index.find(id))).toEqual([]);
  expect(await index.readUnlisted(({ reason }) => reason === 'CANNOT_PARSE_DATETIME')).toHaveLength(1);
});

it('the oldest letters, too many to be listed, are dismissed together, and by id', async () => {
  const index = new LetterIndex(kafka, [trackTopic.name], () => false, 100_000);
  await index.refresh();
  Object.assign(site.app.get(Letters), { index });
  const { unlisted, unlistedUntreated } = await list('?limit=1');
  expect(unlisted).toBeGreaterThan(1_000);
  expect(unlistedUntreated).toBe(unlisted);
  const { letters } = await list('?older=yes&reason=CANNOT_PARSE');
  const ids = letters.map(({ id }) => id);
  expect((await dismiss({ ids })).json()).toEqual({ letters: 1, remaining: 0 });

  expect((await dismiss({ older: 'yes', topic: trackTopic.name })).statusCode).toBe(400);
  expect((await dismiss({ older: 'yes' }, viewer)).statusCode).toBe(403);
  expect((await dismiss({ older: 'yes' })).json()).toEqual({ letters: unlisted, remaining: 0 });
  await eventually(async () => expect(await list('?limit=1')).toMatchObject({ unlisted, unlistedUntreated: 0 }));
  expect((await dismiss({ older: 'yes' })).json()).toEqual({ letters: 0, remaining: 0 });
});
