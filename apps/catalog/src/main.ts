import 'reflect-metadata';
import { prepareTables } from '@sluice/clickhouse';
import { catalogTopics } from '@sluice/contracts';
import { startConsumerApp } from '@sluice/kafka';
import { reportFollowsSuppressions } from '@sluice/privacy';
import { runService } from '@sluice/service';
import { CatalogModule } from './catalog.module.js';
import { catalogVariables } from './config.js';

await runService('catalog', catalogVariables, (service) => {
  // It stores nothing of people.
  reportFollowsSuppressions(false, service.metrics);
  return startConsumerApp(service, {
    name: 'catalog',
    topics: catalogTopics,
    createModule: () => CatalogModule.register(service),
    prepareTables: () => prepareTables(service, service.config, 'catalog', new URL('../migrations/', import.meta.url)),
  });
});
