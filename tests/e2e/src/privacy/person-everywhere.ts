import { randomUUID } from 'node:crypto';
import { type ClickHouseClient } from '@clickhouse/client';
import { allTopics, deadLetterTopic, header, refusedTopic, trackTopic } from '@sluice/contracts';
import { type Kafka, type StoredMessage } from '@sluice/kafka';
import { expect } from 'vitest';
import { basicAuthorization } from '../segment/write-key.js';
import { type SourceCredentials } from '../stack.js';

/** A person, known by two ids that contain a text that nothing else contains. */
export interface Traced {
  readonly userId: string;
  readonly anonymousId: string;
}

interface Doors {
  readonly gateway: string;
  readonly source: SourceCredentials;
  readonly kafka: Kafka;
  /** Token of a notification to the person. */
  readonly token: string;
}

/** Sends a message of a person on every path, and messages of others that name them. */
export async function sendOnEveryPath(person: Traced, { gateway, source, kafka, token }: Doors): Promise<void> {
  const { sourceIdentifier, apiKey } = source;
  const post = async (path: string, authorization: string, body: unknown, status = 200): Promise<void> => {
    const headers = { 'content-type': 'application/json', authorization };
    const answer = await fetch(gateway + path, { method: 'POST', headers, body: JSON.stringify(body) });
    expect([path, answer.status]).toEqual([path, status]);
  };
  const native = (call: string, body: object, status = 200): Promise<void> =>
    post(`/api/tracker/sdk/${sourceIdentifier}/${call}`, `Bearer ${apiKey}`, body, status);
  const segment = (batch: readonly object[]): Promise<void> =>
    post('/v1/batch', basicAuthorization({ writeKey: `${sourceIdentifier}_${apiKey}` }), { batch });
  const { userId, anonymousId } = person;

  await native('track', { anonymousId, event: 'seen' });
  await native('identify', { ...person, traits: { name: userId } });
  await native('trackBatch', {
    list: [
      { ...person, event: 'seen', properties: { of: userId } },
      { userId, event: 'bb_notification_registered', properties: { key: 'k', device_id: `d-${userId}` } },
      { anonymousId, event: 'bb_notification_clicked', properties: { id: token } },
    ],
  });
  for (const route of ['delivered', 'click'])
    expect((await fetch(`${gateway}/api/tracker/general/${route}?token=${token}`)).status).toBe(200);
  await segment([
    { type: 'page', userId, name: 'home' },
    { type: 'alias', userId, previousId: `former-${userId}` },
    { type: 'alias', userId: 'renamed', previousId: userId },
    { type: 'group', userId: 'member', groupId: userId },
    ...[
      { type: 'track', userId },
      { type: 'alias', userId: {}, previousId: userId },
      { type: 'group', groupId: userId },
    ],
  ]);
  await native('track', { userId, event: 5 }, 400);
  await post('/api/rtb/ad', '', { sourceIdentifier, user: { id: userId } }, 204);
  await sendLetter(kafka, sourceIdentifier, userId);
}

/** Sends an event by a contract that no consumer knows: it becomes a dead letter. */
async function sendLetter(kafka: Kafka, source: string, userId: string): Promise<void> {
  const origin = { source_id: source, request_id: randomUUID(), received_at: new Date().toISOString() };
  const value = JSON.stringify({ ...origin, message_id: randomUUID(), user_id: userId, event: 'letter' });
  await sendAgain(kafka, [
    {
      topic: trackTopic.name,
      key: Buffer.from(`${source}:${userId}`),
      value,
      headers: { [header.contract]: 'track.v9' },
    },
  ]);
}

export interface TopicMessage extends Pick<StoredMessage, 'headers'> {
  readonly topic: string;
  readonly key: Buffer | null;
  readonly value: Buffer | string | null;
}

/** Sends messages by a plain producer, as they are. */
export async function sendAgain(kafka: Kafka, messages: readonly TopicMessage[]): Promise<void> {
  const producer = kafka.producer();
  await producer.connect();
  for (const [topic, group] of Map.groupBy(messages, (message) => message.topic))
    await producer.send({ topic, messages: group.map(({ key, value, headers = {} }) => ({ key, value, headers })) });
  await producer.disconnect();
}

/** The partitions of topics that hold people, as far as they have messages: `topic:partition` with the end of its log. */
async function readLogEnds(kafka: Kafka): Promise<Map<string, bigint>> {
  const admin = kafka.admin();
  await admin.connect();
  try {
    const present = new Set(await admin.listTopics());
    const topics = [...allTopics, refusedTopic].flatMap(({ name }) => [name, deadLetterTopic(name)]);
    const ends = new Map<string, bigint>();
    for (const topic of topics.filter((name) => present.has(name)))
      for (const { partition, high } of await admin.fetchTopicOffsets(topic))
        if (high !== '0') ends.set(`${topic}:${partition}`, BigInt(high));
    return ends;
  } finally {
    await admin.disconnect();
  }
}

/** All messages of these topics whose value contains a text. */
export async function readMessages(kafka: Kafka, text: string): Promise<TopicMessage[]> {
  const open = await readLogEnds(kafka);
  const messages: TopicMessage[] = [];
  const read = Promise.withResolvers<undefined>();
  const consumer = kafka.consumer({ groupId: `reader-${randomUUID()}` });
  await consumer.connect();
  const topics = new Set([...open.keys()].map((log) => log.slice(0, log.lastIndexOf(':'))));
  await consumer.subscribe({ topics: [...topics], fromBeginning: true });
  await consumer.run({
    eachMessage: ({ topic, partition, message: { offset, key, value, headers } }) => {
      const log = `${topic}:${partition}`;
      if (value?.includes(text)) messages.push({ topic, key, value, headers: headers ?? {} });
      if (BigInt(offset) + 1n >= (open.get(log) ?? 0n)) open.delete(log);
      if (open.size === 0) read.resolve(undefined);
      return Promise.resolve();
    },
  });
  await read.promise;
  await consumer.disconnect();
  return messages;
}

/** Partitions whose messages up to now these groups have not confirmed, with the place where each stands. */
export async function readBehind(kafka: Kafka, groups: readonly string[]): Promise<string[]> {
  const ends = await readLogEnds(kafka);
  const admin = kafka.admin();
  await admin.connect();
  try {
    const confirmed = await Promise.all(groups.map((groupId) => admin.fetchOffsets({ groupId })));
    return confirmed.flat().flatMap(({ topic, partitions }) =>
      partitions.flatMap(({ partition, offset }) => {
        const log = `${topic}:${partition}`;
        const end = ends.get(log) ?? 0n;
        return BigInt(offset) >= end || end === 0n ? [] : [`${log} ${offset} of ${end}`];
      }),
    );
  } finally {
    await admin.disconnect();
  }
}

/** Numbers of rows that contain a text in a column of text, by table; tables without any are left out. */
export async function rowsWith(client: ClickHouseClient, text: string): Promise<Record<string, number>> {
  const select = async <Row>(query: string): Promise<Row[]> =>
    (await client.query({ query, query_params: { text }, format: 'JSONEachRow' })).json<Row>();
  const columns = await select<{ table: string; condition: string }>(
    `SELECT table, arrayStringConcat(groupArray(format('position(toString(\`{}\`), {{text:String}}) > 0', name)), ' OR ') AS condition
     FROM system.columns
     WHERE database = currentDatabase() AND match(type, 'String|JSON')
       AND table IN (SELECT name FROM system.tables WHERE database = currentDatabase() AND engine LIKE '%MergeTree')
     GROUP BY table ORDER BY table`,
  );
  const counts: Record<string, number> = {};
  for (const { table, condition } of columns) {
    const [row] = await select<{ n: string }>(`SELECT count() AS n FROM \`${table}\` WHERE ${condition}`);
    if (Number(row?.n) > 0) counts[table] = Number(row?.n);
  }
  return counts;
}
