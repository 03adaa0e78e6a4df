import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { Gauge, type Registry } from 'prom-client';

/** Version of Sluice; all its packages have the same. */
export const version = readVersion();

/** Reports app, version, Node version and host of this process as labels of a metric that is always 1. */
export function reportBuild(app: string, registry: Registry): void {
  const info = new Gauge({
    name: 'sluice_build_info',
    help: 'Always 1; app, version and node say what runs, host where (on Kubernetes the pod)',
    labelNames: ['app', 'version', 'node', 'host'],
    registers: [registry],
    aggregator: 'first',
  });
  info.set({ app, version, node: process.versions.node, host: hostname() }, 1);
}

function readVersion(): string {
  const file = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
  return (JSON.parse(file) as { version: string }).version;
}
