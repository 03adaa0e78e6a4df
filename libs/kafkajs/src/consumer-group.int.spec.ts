import { randomUUID } from 'node:crypto';
import { createRequire } from 'node:module';
import type {} from '@sluice/testing'; // types of `inject`
import { afterEach, expect, inject, it, vi } from 'vitest';
import { type Consumer, Kafka, logLevel } from './index.js';

const require = createRequire(import.meta.url);

interface Broker {
  heartbeat: (of: { groupId: string }) => Promise<unknown>;
  joinGroup: (of: { groupId: string }) => Promise<unknown>;
}
const { createErrorFromCode } = require('kafkajs/src/protocol/error') as {
  createErrorFromCode: (code: number) => Error;
};
const coordinatorLoading = 14;
const notCoordinator = 16;

const kafka = new Kafka({ brokers: inject('kafkaBrokers'), logLevel: logLevel.NOTHING });
const topic = `consumer-group-${randomUUID()}`;
let consumer: Consumer | undefined;
afterEach(async () => {
  vi.restoreAllMocks();
  await consumer?.disconnect();
});

/** Answers the next request of this kind with a Kafka error. */
function failOnce(request: keyof Broker, groupId: string, code: number): void {
  const { prototype } = require('kafkajs/src/broker') as { prototype: Broker };
  const original = prototype[request];
  const spy = vi.spyOn(prototype, request).mockImplementation(function (this: Broker, parameters) {
    if (parameters.groupId !== groupId) return original.call(this, parameters);
    spy.mockRestore();
    return Promise.reject(createErrorFromCode(code));
  });
}

it('a member joins again after the coordinator moved and was still loading when it was asked', async () => {
  const admin = kafka.admin();
  await admin.connect();
  await admin.createTopics({ waitForLeaders: true, topics: [{ topic, numPartitions: 1 }] });
  await admin.disconnect();
  const groupId = `group-${randomUUID()}`;
  let joins = 0;
  consumer = kafka.consumer({ groupId, heartbeatInterval: 100, maxWaitTimeInMs: 50 });
  consumer.on(consumer.events.GROUP_JOIN, () => {
    joins += 1;
  });
  await consumer.connect();
  await consumer.subscribe({ topics: [topic] });
  await consumer.run({ eachBatch: () => Promise.resolve() });
  await expect.poll(() => joins, { timeout: 30_000 }).toBe(1);

  failOnce('joinGroup', groupId, coordinatorLoading);
  failOnce('heartbeat', groupId, notCoordinator);

  await expect.poll(() => joins, { timeout: 30_000 }).toBe(2);
});
