import { blankContract, header, refusedTopic } from '@sluice/contracts';
import { createKafka, type StoredMessage } from '@sluice/kafka';
import { Registry } from '@sluice/service';
import { describe, expect, it } from 'vitest';
import { aSuppression, key, source } from './a-suppression.spec-support.js';
import { PrivacyMetrics } from './privacy-metrics.js';
import { SuppressionReader } from './reader.js';
import { SuppressionFilter } from './suppression-filter.js';

const person = 'tracking';
const push = 'push';
const arrived = '2026-01-31T12:00:00.000Z';

interface Ids {
  user_id?: string;
  anonymous_id?: string;
  profile_id?: string;
}

/** A row as a gateway writes it. */
const aMessage = (
  ids: Ids,
  change: Record<string, unknown> = {},
  keyOf = ids.user_id ?? ids.anonymous_id,
): StoredMessage => {
  const origin = { source_id: source, request_id: 'r', received_at: arrived, message_id: 'm' };
  const value = JSON.stringify({ ...origin, ...ids, timestamp: arrived, event: 'order', ...change });
  return messageOf(`${source}:${keyOf ?? ''}`, value);
};

const messageOf = (name: string, value: string | null, headers: StoredMessage['headers'] = {}): StoredMessage => ({
  key: Buffer.from(name),
  value: value === null ? null : Buffer.from(value),
  headers,
  offset: '0',
  timestamp: String(Date.parse(arrived)),
});

function filterOf(...suppressed: Parameters<typeof aSuppression>[]) {
  const reader = new SuppressionReader(createKafka({ KAFKA_BROKERS: ['127.0.0.1:1'] }, 'test'), key);
  const registry = new Registry();
  const filter = new SuppressionFilter(reader, new Set([person]), new PrivacyMetrics(reader, registry));
  for (const one of suppressed) {
    const { key: name, value } = aSuppression(...one);
    reader.registry.apply(name, value);
  }
  const counted = async (): Promise<number> =>
    (await registry.getSingleMetric('sluice_privacy_suppressed_messages_total')?.get())?.values[0]?.value ?? 0;
  return { filter, reader, counted };
}

describe('SuppressionFilter', () => {
  it('hands on the same array when nobody is suppressed', () => {
    const messages = [aMessage({ user_id: 'u-1' }), messageOf('k', '{'), messageOf('k', null)];
    expect(filterOf().filter.kept(person, messages)).toBe(messages);
    expect(filterOf(['user', 'u-2']).filter.kept(person, messages)).toBe(messages);
  });

  it('leaves out rows by either id, and counts them', async () => {
    const { filter, counted } = filterOf(['user', 'u-1'], ['anonymous', 'a-1']);
    const others = [aMessage({ user_id: 'u-2', anonymous_id: 'a-2' }), aMessage({ anonymous_id: 'u-1' })];
    const theirs = [
      aMessage({ user_id: 'u-1' }),
      aMessage({ user_id: 'u-1', anonymous_id: 'a-2' }),
      aMessage({ user_id: 'u-2', anonymous_id: 'a-1' }),
      aMessage({ anonymous_id: 'a-1' }),
    ];
    expect(filter.kept(person, [...theirs, ...others])).toEqual(others);
    expect(await counted()).toBe(4);
  });

  it('finds the ids in rows whose key is not that of a person', () => {
    const { filter } = filterOf(['user', 'u-1'], ['anonymous', 'a-1']);
    const row = (ids: Ids): StoredMessage => aMessage(ids, {}, 'notification');
    const others = [
      row({ user_id: 'u-2' }),
      row({}),
      row({ anonymous_id: 'a-2', profile_id: 'u-2' }),
      row({ profile_id: 'a-1' }),
    ];
    const theirs = [
      row({ user_id: 'u-1' }),
      row({ profile_id: 'u-1' }),
      row({ profile_id: 'u-1', user_id: 'u-2' }),
      row({ anonymous_id: 'a-1' }),
      row({ user_id: 'u-2', anonymous_id: 'a-1' }),
    ];
    expect(filter.kept(push, [...others, ...theirs])).toEqual(others);
  });

  it.each(['Zoë 👩‍🚀', 'a "quoted" id', 'back\\slash', 'x'.repeat(256), '👩'.repeat(128), 'u:1', '\u0001'])(
    'finds the id %j in all rows',
    (id) => {
      const { filter } = filterOf(['user', id], ['anonymous', id]);
      const rows = [
        aMessage({ user_id: id }),
        aMessage({ user_id: 'u-2', anonymous_id: id }),
        aMessage({ anonymous_id: id }),
      ];
      expect(filter.kept(person, rows)).toEqual([]);
      expect(filter.kept(push, [...rows, aMessage({ profile_id: id }, {}, 'notification')])).toEqual([]);
    },
  );

  it('keeps a row that has a suppressed id only in its free-form members', () => {
    const { filter } = filterOf(['user', 'u-1'], ['anonymous', 'a-1']);
    const rows = [
      aMessage({ user_id: 'u-2' }, { properties: { user_id: 'u-1', anonymous_id: 'a-1' } }),
      aMessage({ user_id: 'u-2' }, { properties: { text: '"anonymous_id":"a-1"' } }),
    ];
    expect(filter.kept(person, rows)).toBe(rows);
    expect(filter.kept(push, rows)).toBe(rows);
  });

  it('keeps what arrived after the end of a suppression, and leaves out what arrived before', () => {
    const at = Date.parse(arrived);
    const rows = [aMessage({ user_id: 'u-1' })];
    expect(filterOf(['user', 'u-1', { until: at }]).filter.kept(person, rows)).toBe(rows);
    expect(filterOf(['user', 'u-1', { until: at + 1 }]).filter.kept(person, rows)).toEqual([]);
  });

  it('leaves out samples of refused requests that name someone who is suppressed', () => {
    const { filter } = filterOf(['user', 'u-1'], ['anonymous', '42']);
    const sample = (body: string): StoredMessage =>
      messageOf(source, JSON.stringify({ source_id: source, kind: 'refused', received_at: arrived, body }));
    const others = [sample(''), sample('{"userId":"u-2","event":5}')];
    const theirs = [sample('{"list":[{"userId":"u-1"'), sample('{"anonymousId":42}')];
    expect(filter.kept(refusedTopic.name, [...theirs, ...others])).toEqual(others);
  });

  it('judges a value that is not a row by its key', () => {
    const { filter } = filterOf(['user', 'u-1']);
    const broken = [messageOf(`${source}:u-1`, '{"user_id":"u-1"'), messageOf(`${source}:u-2`, '{"user_id":"u-1"')];
    expect(filter.kept(person, broken)).toEqual([broken[1]]);
  });

  it('leaves out blank messages, also while nobody is suppressed, and keeps others that have no value', () => {
    const blank = messageOf('k', '', { [header.contract]: blankContract });
    const empty = messageOf('k', '', { [header.contract]: 'track.v1' });
    expect(filterOf().filter.kept(person, [blank, empty])).toEqual([empty]);
  });

  it('leaves out in a later attempt at least what it left out before, and counts it once', async () => {
    const { filter, reader, counted } = filterOf(['user', 'u-1']);
    const [one, two, three] = ['u-1', 'u-2', 'u-3'].map((id) => aMessage({ user_id: id }));
    const block = [one, two, three] as StoredMessage[];
    expect(filter.kept(person, block)).toEqual([two, three]);
    reader.registry.apply(aSuppression('user', 'u-1').key, null);
    const more = aSuppression('user', 'u-2');
    reader.registry.apply(more.key, more.value);
    expect(filter.kept(person, block)).toEqual([three]);
    expect(await counted()).toBe(2);
    expect(filter.kept(person, [...block])).toEqual([one, three]);
  });
});
