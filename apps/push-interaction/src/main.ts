import 'reflect-metadata';
import { prepareTables } from '@sluice/clickhouse';
import { deviceTopic, interactionTopic } from '@sluice/contracts';
import { startConsumerApp } from '@sluice/kafka';
import { followSuppressions } from '@sluice/privacy';
import { runService } from '@sluice/service';
import { pushInteractionVariables } from './config.js';
import { PushInteractionModule } from './push-interaction.module.js';

await runService('push-interaction', pushInteractionVariables, (service) =>
  startConsumerApp(service, {
    name: 'push-interaction',
    topics: [interactionTopic, deviceTopic],
    createModule: () => PushInteractionModule.register(service),
    prepareTables: () =>
      prepareTables(service, service.config, 'push-interaction', new URL('../migrations/', import.meta.url)),
    followFilter: (kafka) => followSuppressions(service, service.config, kafka),
  }),
);
