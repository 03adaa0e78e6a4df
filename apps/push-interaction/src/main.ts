import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import { prepareTables } from '@sluice/clickhouse';
import { deviceTopic, interactionTopic, ofInstallation } from '@sluice/contracts';
import { BlockConsumer, createKafka, ensureTopics, followShards, refuseOtherOwner } from '@sluice/kafka';
import { followSuppressions } from '@sluice/privacy';
import { runService, whenAvailable } from '@sluice/service';
import { pushInteractionVariables } from './config.js';
import { PushInteractionModule } from './push-interaction.module.js';

await runService('push-interaction', pushInteractionVariables, async (service) => {
  const { config, health, logger, metrics } = service;
  // Prepare tables and topics before the consumer, so that a block never meets a missing table. Wait for as long as it
  // takes: a process that exited would be restarted after longer and longer pauses.
  const kafka = createKafka(config, 'push-interaction');
  const shards = await followShards(service, config, kafka);
  await prepareTables(service, config, 'push-interaction', new URL('../migrations/', import.meta.url));
  const topics = [interactionTopic, deviceTopic];
  await whenAvailable(service, 'kafka', () => ensureTopics(kafka, config, topics));
  const [groupId, owner] = [ofInstallation('push-interaction'), config.CLICKHOUSE_DATABASE];
  await refuseOtherOwner(service, kafka, { groupId, topics, owner });
  const filter = await followSuppressions(service, config, kafka);

  const app = await NestFactory.createMicroservice(PushInteractionModule.register(service), {
    strategy: new BlockConsumer(config, groupId, health, metrics, { shards, filter, owner }),
    logger,
  });
  await app.listen();
  return app;
});
