import { type DynamicModule, type INestMicroservice, type LoggerService } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { type Topic, withTopicPrefix } from '@sluice/contracts';
import { type Kafka } from '@sluice/kafkajs';
import { type Registry, type Starting, whenAvailable } from '@sluice/service';
import { type BlockConfig, type KafkaConfig } from '../connection/config.js';
import { createKafka } from '../connection/client.js';
import { followShards } from '../shards/follow-shards.js';
import { ensureTopics } from '../topics/topics.js';
import { BlockConsumer } from './block-consumer.js';
import { type MessageFilter } from './message-filter.js';
import { refuseOtherOwner } from './owner.js';

/** The parts of a service that its start needs, with the configuration of a consumer. */
export interface ConsumerService extends Starting {
  readonly config: KafkaConfig &
    BlockConfig & {
      readonly CLICKHOUSE_DATABASE: string;
      readonly CLICKHOUSE_SHARDS?: ReadonlyMap<string, string> | undefined;
    };
  readonly logger: LoggerService;
  readonly metrics: Registry;
}

/** The parts in which one consumer app differs from another. */
export interface ConsumerApp {
  /** Name of the app, and of its group without the prefix. */
  readonly name: string;
  readonly topics: readonly Topic[];
  /** Makes the module with the handlers of the blocks. */
  readonly createModule: () => DynamicModule;
  /** Waits until the tables are as this version needs them. */
  readonly prepareTables: () => Promise<void>;
  /** Begins to follow whose messages are left out. */
  readonly followFilter?: (kafka: Kafka) => Promise<MessageFilter>;
}

/**
 * Starts a consumer app. Tables and topics come before the consumer, so that a block never meets a missing table. Each
 * step waits for as long as it takes: a process that exited would be restarted after longer and longer pauses.
 */
export async function startConsumerApp(service: ConsumerService, app: ConsumerApp): Promise<INestMicroservice> {
  const { config, health, logger, metrics } = service;
  const { name, topics } = app;
  const kafka = createKafka(config, name);
  const shards = await followShards(service, config, kafka);
  await app.prepareTables();
  await whenAvailable(service, 'kafka', () => ensureTopics(kafka, config, topics));
  const [groupId, owner] = [withTopicPrefix(name), config.CLICKHOUSE_DATABASE];
  await refuseOtherOwner(service, kafka, { groupId, topics, owner });
  const filter = await app.followFilter?.(kafka);

  const microservice = await NestFactory.createMicroservice(app.createModule(), {
    strategy: new BlockConsumer(config, groupId, health, metrics, { shards, filter, owner }),
    logger,
  });
  await microservice.listen();
  return microservice;
}
