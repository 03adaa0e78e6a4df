import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import { prepareTables } from '@sluice/clickhouse';
import { adRequestTopic, identifyTopic, systemTopics, trackTopic } from '@sluice/contracts';
import { BlockConsumer, createKafka, ensureTopics } from '@sluice/kafka';
import { runService } from '@sluice/service';
import { trackingVariables } from './config.js';
import { TrackingModule } from './tracking.module.js';

await runService('tracking', trackingVariables, async (service) => {
  const { config, health, logger, metrics } = service;
  // Prepare tables and topics before the consumer, so that a block never meets a missing table.
  await prepareTables(config, 'tracking', new URL('../migrations/', import.meta.url));
  await ensureTopics(createKafka(config, 'tracking'), config, [
    ...[trackTopic, identifyTopic, adRequestTopic],
    ...systemTopics,
  ]);

  const app = await NestFactory.createMicroservice(TrackingModule.register(service), {
    strategy: new BlockConsumer(config, 'tracking', health, metrics),
    logger,
  });
  await app.listen();
  return app;
});
