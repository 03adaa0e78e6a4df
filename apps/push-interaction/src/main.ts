import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import { prepareTables } from '@sluice/clickhouse';
import { deviceTopic, interactionTopic, ofInstallation } from '@sluice/contracts';
import { BlockConsumer, createKafka, ensureTopics, followShards } from '@sluice/kafka';
import { followSuppressions } from '@sluice/privacy';
import { runService, whenAvailable } from '@sluice/service';
import { pushInteractionVariables } from './config.js';
import { PushInteractionModule } from './push-interaction.module.js';

await runService('push-interaction', pushInteractionVariables, async (service) => {
  const { config, health, logger, metrics } = service;
  // Prepare tables and topics before the consumer, so that a block never meets a missing table. Wait for as long as it
  // takes: a process that ended would be started again later and later.
  const kafka = createKafka(config, 'push-interaction');
  const shards = await followShards(service, config, kafka);
  await prepareTables(service, config, 'push-interaction', new URL('../migrations/', import.meta.url));
  await whenAvailable(service, 'kafka', () => ensureTopics(kafka, config, [interactionTopic, deviceTopic]));
  const filter = await followSuppressions(service, config, kafka);

  const app = await NestFactory.createMicroservice(PushInteractionModule.register(service), {
    strategy: new BlockConsumer(config, ofInstallation('push-interaction'), health, metrics, shards, filter),
    logger,
  });
  await app.listen();
  return app;
});
