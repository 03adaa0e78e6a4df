import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import { prepareTables } from '@sluice/clickhouse';
import { deviceTopic, interactionTopic } from '@sluice/contracts';
import { BlockConsumer, createKafka, ensureTopics } from '@sluice/kafka';
import { runService } from '@sluice/service';
import { pushInteractionVariables } from './config.js';
import { PushInteractionModule } from './push-interaction.module.js';

await runService('push-interaction', pushInteractionVariables, async (service) => {
  const { config, health, logger, metrics } = service;
  // Prepare tables and topics before the consumer, so that a block never meets a missing table.
  await prepareTables(config, 'push-interaction', new URL('../migrations/', import.meta.url));
  await ensureTopics(createKafka(config, 'push-interaction'), config, [interactionTopic, deviceTopic]);

  const app = await NestFactory.createMicroservice(PushInteractionModule.register(service), {
    strategy: new BlockConsumer(config, 'push-interaction', health, metrics),
    logger,
  });
  await app.listen();
  return app;
});
