import { eventually } from '@sluice/testing';
import { randomUUID } from 'node:crypto';
import {
  type Consumer,
  type ConsumerConfig,
  type PartitionAssigner,
  PartitionAssigners,
  rebalanceTimeoutMs,
} from '@sluice/kafkajs';
import { afterEach, expect, inject, it, vi } from 'vitest';
import { createKafka } from '../connection/client.js';
import { disconnected } from '../connection/disconnected.js';
import { ensureTopics } from '../topics/topics.js';

const config = { KAFKA_BROKERS: inject('kafkaBrokers'), TOPIC_PARTITIONS: 2, TOPIC_REPLICATION_FACTOR: 1 };
const sessionTimeout = 6_000; // longer than the time-out of any other request, and the least that Kafka takes
const consumers: Consumer[] = [];
afterEach(async () => {
  for (const consumer of consumers.splice(0)) await disconnected(consumer);
});

async function join(topic: string, assigners: ConsumerConfig['partitionAssigners']): Promise<Consumer> {
  const times = { sessionTimeout, heartbeatInterval: 500, rebalanceTimeout: rebalanceTimeoutMs };
  const kafka = createKafka(config, 'test');
  const consumer = kafka.consumer({ groupId: topic, ...times, ...(assigners && { partitionAssigners: assigners }) });
  consumers.push(consumer);
  await consumer.connect();
  await consumer.subscribe({ topics: [topic] });
  return consumer;
}

it('a member waits for its assignment until the session of a dead leader ends', { timeout: 60_000 }, async () => {
  const topic = `test.${randomUUID()}`;
  await ensureTopics(createKafka(config, 'test'), config, [{ name: topic, contract: 'test.v1' }]);
  const died = vi.fn();
  /** Leads alone at first. It falls silent when a second member joins, like a leader that is killed at that moment. */
  const dying: PartitionAssigner = (options) => {
    const whole = PartitionAssigners.roundRobin(options);
    const assign: typeof whole.assign = async (group) => {
      if (group.members.length === 1) return whole.assign(group);
      died();
      return new Promise(() => undefined);
    };
    return { ...whole, assign };
  };
  const leader = await join(topic, [dying]);
  const follower = await join(topic, undefined);
  const [led, joined, crashed] = [vi.fn(), vi.fn(), vi.fn()];
  leader.on(leader.events.GROUP_JOIN, led);
  follower.on(follower.events.GROUP_JOIN, joined);
  follower.on(follower.events.CRASH, crashed);

  await leader.run({ eachBatch: () => Promise.resolve() });
  // `run` also resolves when Kafka was not ready and kafkajs will retry; the other member could then lead instead.
  await eventually(() => expect(led).toHaveBeenCalled());
  void follower.run({ eachBatch: () => Promise.resolve() });
  await eventually(() => expect(joined).toHaveBeenCalled());

  expect(died).toHaveBeenCalledOnce();
  expect(crashed).not.toHaveBeenCalled();
  expect(joined.mock.lastCall?.[0]).toMatchObject({ payload: { memberAssignment: { [topic]: [0, 1] } } });
});
