import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import { prepareTables } from '@sluice/clickhouse';
import {
  adRequestTopic,
  identifyTopic,
  ofInstallation,
  refusedMessageTopic,
  systemTopics,
  trackTopic,
} from '@sluice/contracts';
import { BlockConsumer, createKafka, ensureTopics, followShards, refuseOtherOwner } from '@sluice/kafka';
import { followSuppressions } from '@sluice/privacy';
import { runService, whenAvailable } from '@sluice/service';
import { trackingVariables } from './config.js';
import { TrackingModule } from './tracking.module.js';

await runService('tracking', trackingVariables, async (service) => {
  const { config, health, logger, metrics } = service;
  // Prepare tables and topics before the consumer, so that a block never meets a missing table. Wait for as long as it
  // takes: a process that exited would be restarted after longer and longer pauses.
  const kafka = createKafka(config, 'tracking');
  const shards = await followShards(service, config, kafka);
  await prepareTables(service, config, 'tracking', new URL('../migrations/', import.meta.url));
  const topics = [trackTopic, identifyTopic, adRequestTopic, refusedMessageTopic, ...systemTopics];
  await whenAvailable(service, 'kafka', () => ensureTopics(kafka, config, topics));
  const [groupId, owner] = [ofInstallation('tracking'), config.CLICKHOUSE_DATABASE];
  await refuseOtherOwner(service, kafka, { groupId, topics, owner });
  const filter = await followSuppressions(service, config, kafka);

  const app = await NestFactory.createMicroservice(TrackingModule.register(service), {
    strategy: new BlockConsumer(config, groupId, health, metrics, { shards, filter, owner }),
    logger,
  });
  await app.listen();
  return app;
});
