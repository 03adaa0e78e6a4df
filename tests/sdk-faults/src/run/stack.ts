import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const startTimeoutMs = 180_000;
const root = fileURLToPath(new URL('../../../../', import.meta.url));

export interface FaultStack {
  readonly gateway: { readonly url: string };
  readonly clickhouse: { readonly url: string; readonly database: string };
  readonly source: { readonly sourceIdentifier: string; readonly apiKey: string };
}

/** Runs `work` with the stack of `npm start`, on free ports and in a folder of its own. */
export async function withStack<T>(work: (stack: FaultStack) => Promise<T>): Promise<T> {
  const dataDir = await mkdtemp(join(tmpdir(), 'sluice-sdk-faults-'));
  const ports = { GATEWAY_PORT: '0', KAFKA_PORT: '0', CLICKHOUSE_PORT: '0' };
  const program = spawn(process.execPath, ['tools/local/dist/main.js'], {
    cwd: root,
    env: { ...process.env, ...ports, SLUICE_DATA_DIR: dataDir },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    await hasSaid(program.stdout, 'curl');
    return await work(JSON.parse(await readFile(join(dataDir, 'local.json'), 'utf8')) as FaultStack);
  } finally {
    program.kill('SIGTERM');
    if (program.exitCode === null) await once(program, 'exit');
    await rm(dataDir, { recursive: true, force: true });
  }
}

/** Resolves when the banner with the first curl is there. */
async function hasSaid(output: NodeJS.ReadableStream, part: string): Promise<void> {
  let text = '';
  await new Promise<void>((resolve, reject) => {
    const timer = setTimeout(
      () => reject(new Error(`the local stack was not ready within ${startTimeoutMs} ms:\n${text}`)),
      startTimeoutMs,
    );
    output.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      if (!text.includes(part)) return;
      clearTimeout(timer);
      resolve();
    });
    output.once('end', () => {
      clearTimeout(timer);
      reject(new Error(`the local stack ended:\n${text}`));
    });
  });
}
