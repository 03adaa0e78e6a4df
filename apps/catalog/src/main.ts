import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import { prepareTables } from '@sluice/clickhouse';
import { catalogTopics, ofInstallation } from '@sluice/contracts';
import { BlockConsumer, createKafka, ensureTopics, followShards, refuseOtherOwner } from '@sluice/kafka';
import { reportFollowsSuppressions } from '@sluice/privacy';
import { runService, whenAvailable } from '@sluice/service';
import { CatalogModule } from './catalog.module.js';
import { catalogVariables } from './config.js';

await runService('catalog', catalogVariables, async (service) => {
  const { config, health, logger, metrics } = service;
  reportFollowsSuppressions(false, metrics);
  // Prepare tables and topics before the consumer, so that a block never meets a missing table. Wait for as long as it
  // takes: a process that exited would be restarted after longer and longer pauses.
  const kafka = createKafka(config, 'catalog');
  const shards = await followShards(service, config, kafka);
  await prepareTables(service, config, 'catalog', new URL('../migrations/', import.meta.url));
  await whenAvailable(service, 'kafka', () => ensureTopics(kafka, config, catalogTopics));
  const [groupId, owner] = [ofInstallation('catalog'), config.CLICKHOUSE_DATABASE];
  await refuseOtherOwner(service, kafka, { groupId, topics: catalogTopics, owner });

  const app = await NestFactory.createMicroservice(CatalogModule.register(service), {
    strategy: new BlockConsumer(config, groupId, health, metrics, { shards, owner }),
    logger,
  });
  await app.listen();
  return app;
});
