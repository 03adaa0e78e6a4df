import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually, spawnApp, startApp } from '@sluice/testing';
import { local } from './stack.js';

/** A second gateway with its own settings. It uses the stack's Kafka unless the settings name another. */
export interface GatewayProcess {
  url: string;
  managementUrl: string;
  pid: number;
  /** Everything it has written. */
  output: () => string;
  /** Sends a signal, by default SIGTERM. Resolves with the exit code, or null if a signal ended the process. */
  stop: (signal?: NodeJS.Signals) => Promise<number | null>;
}

/** The stack's Kafka, and the privacy key with which other specs suppress people there. */
function ofStack(): Record<string, string> {
  const { kafka, privacyKey } = local();
  return { KAFKA_BROKERS: kafka.brokers.join(','), PRIVACY_KEY: privacyKey };
}

/**
 * Starts a gateway, by default of this checkout. Resolves when it is ready, or with `until: 'open'` when its port is
 * open.
 */
export async function startGatewayProcess(
  settings: Record<string, string>,
  until: 'ready' | 'open' = 'ready',
  checkout?: string,
): Promise<GatewayProcess> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-gateway-'));
  const start = until === 'ready' ? startApp : spawnApp;
  const env = { LOG_LEVEL: 'error', ...('KAFKA_BROKERS' in settings ? {} : ofStack()), ...settings };
  const { server, url, managementUrl } = await start('gateway', env, { folder, checkout });
  let output = '';
  const read = (): string =>
    (output = existsSync(server.spec.logFile) ? readFileSync(server.spec.logFile, 'utf8') : output);
  void server.ended.then(() => {
    read();
    rmSync(folder, { recursive: true, force: true });
  });
  if (until === 'open') await eventually(() => fetch(`${url}/health/ready`));
  const stop = async (signal: NodeJS.Signals = 'SIGTERM'): Promise<number | null> => {
    if (server.isAlive) process.kill(server.pid, signal);
    const [, code] = /^exit code (\d+)$/.exec(await server.ended) ?? [];
    return code === undefined ? null : Number(code);
  };
  return { url, managementUrl, pid: server.pid, output: read, stop };
}
