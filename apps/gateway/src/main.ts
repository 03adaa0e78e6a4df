import 'reflect-metadata';
import cluster from 'node:cluster';
import { limitYoungGeneration, runService, startManagement } from '@sluice/service';
import { gatewayVariables } from './config.js';
import { answerPrimary } from './workers/answer-primary.js';
import { WorkerFleet } from './workers/fleet.js';
import { FleetMetrics } from './workers/fleet-metrics.js';

/** Loads the gateway on demand: a primary process with workers does not need it. */
const gateway = async () => (await import('./server.js')).startGateway;

limitYoungGeneration();

if (cluster.isWorker) await runService('gateway', gatewayVariables, await gateway(), answerPrimary);
else {
  const fleet = new WorkerFleet();
  await runService(
    'gateway',
    gatewayVariables,
    async (service) => (service.config.GATEWAY_WORKERS === 1 ? (await gateway())(service) : fleet.start(service)),
    (config, health, metrics) => startManagement(config, health, new FleetMetrics(fleet, metrics)),
  );
}
