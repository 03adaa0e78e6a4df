import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { eventually, freePorts } from '@sluice/testing';
import { local } from './stack.js';

const here = fileURLToPath(new URL('../../..', import.meta.url));

/** A second gateway with its own settings. It uses the stack's Kafka unless the settings name another. */
export interface GatewayProcess {
  url: string;
  managementUrl: string;
  pid: number;
  /** Everything it has written to stdout. */
  output: () => string;
  /** Sends a signal, by default SIGTERM. Resolves with the exit code, or null if the signal ended the process. */
  stop: (signal?: NodeJS.Signals) => Promise<number | null>;
}

/**
 * Starts a gateway, by default of this checkout. Resolves when it is ready, or with `until: 'open'` when its port is
 * open.
 */
export async function startGatewayProcess(
  settings: Record<string, string>,
  until: 'ready' | 'open' = 'ready',
  checkout = here,
): Promise<GatewayProcess> {
  const [port = 0, managementPort = 0] = await freePorts(2);
  const dataDir = mkdtempSync(join(tmpdir(), 'sluice-gateway-'));
  const child = spawn(process.execPath, [join(checkout, 'apps/gateway/dist/main.js')], {
    env: {
      ...process.env,
      KAFKA_BROKERS: settings['KAFKA_BROKERS'] ?? local().kafka.brokers.join(','),
      GATEWAY_HOST: '127.0.0.1',
      GATEWAY_PORT: String(port),
      GATEWAY_DATA_DIR: dataDir,
      MANAGEMENT_HOST: '127.0.0.1',
      MANAGEMENT_PORT: String(managementPort),
      LOG_LEVEL: 'error',
      ...settings,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  child.once('exit', () => rmSync(dataDir, { recursive: true, force: true }));
  const gatewayPort = settings['GATEWAY_PORT'] ?? port;
  const url = `http://127.0.0.1:${gatewayPort}`;
  const managementUrl = `http://127.0.0.1:${settings['MANAGEMENT_PORT'] ?? managementPort}`;
  try {
    await eventually(() => isUp(until === 'ready' ? managementUrl : url, until, child), 100_000);
  } catch (error) {
    child.kill('SIGKILL');
    throw error;
  }
  return { url, managementUrl, pid: child.pid ?? 0, output: () => output, stop: (signal) => stop(child, signal) };
}

async function isUp(url: string, until: 'ready' | 'open', { exitCode }: ChildProcess): Promise<void> {
  if (exitCode !== null) throw new Error(`the gateway ended with ${exitCode}`);
  const { ok } = await fetch(`${url}/health/ready`);
  if (until === 'ready' && !ok) throw new Error('the gateway is not ready yet');
}

async function stop(child: ChildProcess, signal: NodeJS.Signals = 'SIGTERM'): Promise<number | null> {
  if (child.exitCode !== null) return child.exitCode;
  const ended = once(child, 'exit') as Promise<[number | null]>;
  child.kill(signal);
  return (await ended)[0];
}
