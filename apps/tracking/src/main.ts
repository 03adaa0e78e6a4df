import 'reflect-metadata';
import { prepareTables } from '@sluice/clickhouse';
import { adRequestTopic, identifyTopic, refusedMessageTopic, systemTopics, trackTopic } from '@sluice/contracts';
import { startConsumerApp } from '@sluice/kafka';
import { followSuppressions } from '@sluice/privacy';
import { runService } from '@sluice/service';
import { trackingVariables } from './config.js';
import { TrackingModule } from './tracking.module.js';

await runService('tracking', trackingVariables, (service) =>
  startConsumerApp(service, {
    name: 'tracking',
    topics: [trackTopic, identifyTopic, adRequestTopic, refusedMessageTopic, ...systemTopics],
    createModule: () => TrackingModule.register(service),
    prepareTables: () => prepareTables(service, service.config, 'tracking', new URL('../migrations/', import.meta.url)),
    followFilter: (kafka) => followSuppressions(service, service.config, kafka),
  }),
);
