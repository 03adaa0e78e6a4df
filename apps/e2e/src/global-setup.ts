import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    /** Data folder of the running stack; its `local.json` has all addresses. */
    dataDir: string;
  }
}

const startTimeoutMs = 120_000;
const root = fileURLToPath(new URL('../../../', import.meta.url));

/** Starts the stack of `npm start` on free ports with its own data folder, once for all end-to-end tests. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const dataDir = await mkdtemp(join(tmpdir(), 'sluice-e2e-'));
  const stack = startLocal(dataDir);
  await ready(stack).catch((error: unknown) => {
    stack.kill('SIGTERM');
    throw error;
  });
  project.provide('dataDir', dataDir);
  return async () => {
    stack.kill('SIGTERM');
    if (stack.exitCode === null) await once(stack, 'exit');
    const code = stack.exitCode;
    await rm(dataDir, { recursive: true, force: true });
    if (code !== 0) throw new Error(`the local stack did not stop cleanly: exit code ${String(code)}`);
  };
}

function startLocal(dataDir: string): ChildProcess {
  const ports = { GATEWAY_PORT: '0', CONSOLE_PORT: '0', KAFKA_PORT: '0', CLICKHOUSE_PORT: '0' };
  return spawn(process.execPath, ['tools/local/dist/main.js'], {
    cwd: root,
    env: { ...process.env, ...ports, SLUICE_DATA_DIR: dataDir },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

/** Resolves when the stack prints its banner with the first curl command. */
function ready(stack: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    let output = '';
    const timer = setTimeout(() => {
      reject(new Error(`the local stack was not ready within ${startTimeoutMs} ms:\n${output}`));
    }, startTimeoutMs);
    stack.stdout?.on('data', (chunk: Buffer) => {
      output += chunk.toString();
      if (!output.includes('curl')) return;
      clearTimeout(timer);
      resolve();
    });
    stack.once('exit', (code) => {
      clearTimeout(timer);
      reject(new Error(`the local stack ended with ${String(code)}:\n${output}`));
    });
  });
}
