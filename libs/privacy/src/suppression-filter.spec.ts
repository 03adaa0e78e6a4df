import {
  blankContract,
  deviceTopic,
  header,
  identifyTopic,
  interactionTopic,
  refusedMessageTopic,
  refusedTopic,
  trackTopic,
} from '@sluice/contracts';
import { createKafka, type StoredMessage } from '@sluice/kafka';
import { Registry } from '@sluice/service';
import { describe, expect, it } from 'vitest';
import { aSuppression, key, source } from './a-suppression.spec-support.js';
import { topicsKeyedByPerson } from './follow-suppressions.js';
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
  const filter = new SuppressionFilter(
    reader,
    new Set([person, ...topicsKeyedByPerson]),
    new PrivacyMetrics(reader, registry),
  );
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
    expect(filterOf().filter.messagesToStore(person, messages)).toBe(messages);
    expect(filterOf(['user', 'u-2']).filter.messagesToStore(person, messages)).toBe(messages);
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
    expect(filter.messagesToStore(person, [...theirs, ...others])).toEqual(others);
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
    expect(filter.messagesToStore(push, [...others, ...theirs])).toEqual(others);
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
      expect(filter.messagesToStore(person, rows)).toEqual([]);
      expect(filter.messagesToStore(push, [...rows, aMessage({ profile_id: id }, {}, 'notification')])).toEqual([]);
    },
  );

  it('keeps a row that has a suppressed id only in its free-form members', () => {
    const { filter } = filterOf(['user', 'u-1'], ['anonymous', 'a-1']);
    const rows = [
      aMessage({ user_id: 'u-2' }, { properties: { user_id: 'u-1', anonymous_id: 'a-1' } }),
      aMessage({ user_id: 'u-2' }, { properties: { text: '"anonymous_id":"a-1"' } }),
    ];
    expect(filter.messagesToStore(person, rows)).toBe(rows);
    expect(filter.messagesToStore(push, rows)).toBe(rows);
  });

  it('keeps what arrived after the end of a suppression, and leaves out what arrived before', () => {
    const at = Date.parse(arrived);
    const rows = [aMessage({ user_id: 'u-1' })];
    expect(filterOf(['user', 'u-1', { until: at }]).filter.messagesToStore(person, rows)).toBe(rows);
    expect(filterOf(['user', 'u-1', { until: at + 1 }]).filter.messagesToStore(person, rows)).toEqual([]);
  });

  it('leaves out samples of refused requests that name someone who is suppressed', () => {
    const { filter } = filterOf(['user', 'u-1'], ['anonymous', '42']);
    const sample = (body: string): StoredMessage =>
      messageOf(source, JSON.stringify({ source_id: source, kind: 'refused', received_at: arrived, body }));
    const others = [sample(''), sample('{"userId":"u-2","event":5}')];
    const theirs = [sample('{"list":[{"userId":"u-1"'), sample('{"anonymousId":42}')];
    expect(filter.messagesToStore(refusedTopic.name, [...theirs, ...others])).toEqual(others);
  });

  // A person is all of their names, in every topic: docs/privacy.md#who-a-person-is.
  describe.each<[topic: string, keyOf: string, rowOf: (name: string) => Record<string, unknown>]>([
    [trackTopic.name, 'u-1', (user_id) => ({ user_id })],
    [trackTopic.name, 'u-2', (groupId) => ({ user_id: 'u-2', event: 'group', properties: { groupId } })],
    [identifyTopic.name, 'u-1', (user_id) => ({ user_id })],
    [identifyTopic.name, 'u-2', (anonymous_id) => ({ user_id: 'u-2', anonymous_id })],
    [interactionTopic.name, 'n', (user_id) => ({ user_id })],
    [interactionTopic.name, 'n', (profile_id) => ({ profile_id, anonymous_id: 'a-2' })],
    [deviceTopic.name, 'd', (user_id) => ({ user_id })],
    [refusedMessageTopic.name, 'u-1', (user_id) => ({ user_id })],
    ...['userId', 'anonymousId', 'previousId', 'groupId'].flatMap((member) =>
      [refusedMessageTopic.name, refusedTopic.name].map(
        (topic): [string, string, (name: string) => Record<string, unknown>] => [
          topic,
          'm',
          (name) => ({ body: JSON.stringify([{ list: [{ [member]: name }] }]) }),
        ],
      ),
    ),
  ])('in %s, by the key %s', (topic, keyOf, rowOf) => {
    const row = (name: string): StoredMessage => aMessage({}, rowOf(name), keyOf);
    const arrivedAt = Date.parse(arrived);

    it('leaves out what names the person, also after their erasure', () => {
      for (const until of [undefined, arrivedAt + 1])
        expect(filterOf(['user', 'u-1', { until }]).filter.messagesToStore(topic, [row('u-1')])).toEqual([]);
    });

    it('keeps what names others, and what came after the erasure', () => {
      const { filter } = filterOf(['user', 'u-3', {}], ['user', 'u-1', { until: arrivedAt }]);
      const rows = [row('u-1'), aMessage({}, rowOf('u-4'), keyOf)];
      expect(filter.messagesToStore(topic, rows)).toBe(rows);
    });
  });

  it('reads the id of a group that is a number, and of no other event', () => {
    const { filter } = filterOf(['user', '42']);
    const row = (event: string, groupId: unknown): StoredMessage =>
      aMessage({ user_id: 'u-2' }, { event, properties: { groupId } });
    const others = [row('groups', '42'), row('group', 43), row('group', { id: '42' })];
    expect(filter.messagesToStore(trackTopic.name, [row('group', 42), ...others, row('group', '42')])).toEqual(others);
  });

  it('judges a value that is not a row by its key', () => {
    const { filter } = filterOf(['user', 'u-1']);
    const broken = [messageOf(`${source}:u-1`, '{"user_id":"u-1"'), messageOf(`${source}:u-2`, '{"user_id":"u-1"')];
    expect(filter.messagesToStore(person, broken)).toEqual([broken[1]]);
  });

  it('leaves out blank messages, also while nobody is suppressed, and keeps others that have no value', () => {
    const blank = messageOf('k', '', { [header.contract]: blankContract });
    const empty = messageOf('k', '', { [header.contract]: 'track.v1' });
    expect(filterOf().filter.messagesToStore(person, [blank, empty])).toEqual([empty]);
  });

  it('leaves out in a later attempt at least what it left out before, and counts it once', async () => {
    const { filter, reader, counted } = filterOf(['user', 'u-1']);
    const [one, two, three] = ['u-1', 'u-2', 'u-3'].map((id) => aMessage({ user_id: id }));
    const block = [one, two, three] as StoredMessage[];
    expect(filter.messagesToStore(person, block)).toEqual([two, three]);
    reader.registry.apply(aSuppression('user', 'u-1').key, null);
    const more = aSuppression('user', 'u-2');
    reader.registry.apply(more.key, more.value);
    expect(filter.messagesToStore(person, block)).toEqual([three]);
    expect(await counted()).toBe(2);
    expect(filter.messagesToStore(person, [...block])).toEqual([one, three]);
  });
});
