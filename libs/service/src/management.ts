import { type Registry } from 'prom-client';
import { type ServiceConfig } from './config.js';
import { type Health } from './health.js';
import { type Running } from './running.js';

/** Serves health and metrics. The web server is loaded only here: the operator, which starts often, has none. */
export async function startManagement(config: ServiceConfig, health: Health, metrics: Registry): Promise<Running> {
  const { startManagementServer } = await import('./management-server.js');
  return startManagementServer(config, health, metrics);
}
