import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePorts } from '@sluice/testing';
import { vi } from 'vitest';
import { local } from './stack.js';

const program = fileURLToPath(new URL('../../gateway/dist/main.js', import.meta.url));

/** One more gateway beside the stack's, on the same Kafka, with settings of its own. */
export interface GatewayProcess {
  url: string;
  stop: () => Promise<void>;
}

/** Resolves when it takes requests. */
export async function startGatewayProcess(settings: Record<string, string>): Promise<GatewayProcess> {
  const [port = 0, managementPort = 0] = await freePorts(2);
  const dataDir = await mkdtemp(join(tmpdir(), 'sluice-gateway-'));
  const child = spawn(process.execPath, [program], {
    env: {
      ...process.env,
      KAFKA_BROKERS: local().kafka.brokers.join(','),
      GATEWAY_HOST: '127.0.0.1',
      GATEWAY_PORT: String(port),
      GATEWAY_DATA_DIR: dataDir,
      MANAGEMENT_HOST: '127.0.0.1',
      MANAGEMENT_PORT: String(managementPort),
      LOG_LEVEL: 'warn',
      ...settings,
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const url = `http://127.0.0.1:${port}`;
  await vi.waitFor(() => isReady(url, child), { timeout: 60_000, interval: 100 });
  const end = async (): Promise<void> => {
    await stop(child);
    await rm(dataDir, { recursive: true, force: true });
  };
  return { url, stop: end };
}

async function isReady(url: string, { exitCode }: ChildProcess): Promise<void> {
  if (exitCode !== null) throw new Error(`the gateway ended with ${exitCode}`);
  const { ok } = await fetch(`${url}/health/ready`);
  if (!ok) throw new Error('the gateway is not ready yet');
}

async function stop(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  await ended;
}
