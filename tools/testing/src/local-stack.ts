import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runOperator } from './app.js';

const startTimeoutMs = 120_000;
/** This file has the same depth in src and in dist. */
const root = fileURLToPath(new URL('../../../', import.meta.url));

interface Part {
  url: string;
  pid: number;
}

/** Content of `local.json`, which `npm start` writes. */
export interface Local {
  pid: number;
  gateway: Part & { managementUrl: string };
  tracking: Part;
  catalog: Part;
  pushInteraction: Part;
  kafka: { brokers: string[]; pid: number };
  clickhouse: Part & { database: string };
  shop: { url: string };
  console: Part;
  source: { sourceIdentifier: string; apiKey: string };
  pushTokenKeys: string;
  privacyKey: string;
}

/** The stack of `npm start`, built, on free ports and with a data folder of its own. */
export class LocalStack {
  private constructor(
    readonly dataDir: string,
    private readonly process?: ChildProcess,
  ) {}

  /** Starts a stack, or uses the one that runs already in the folder E2E_DATA_DIR, which `stop` leaves running. */
  static async start(): Promise<LocalStack> {
    const running = process.env['E2E_DATA_DIR'];
    if (running !== undefined) return new LocalStack(running);
    const dataDir = await mkdtemp(join(tmpdir(), 'sluice-local-'));
    // Tests count the messages of topics; those of the canary turn it on.
    const ports = {
      CANARY_INTERVAL_MS: '0',
      GATEWAY_PORT: '0',
      CONSOLE_PORT: '0',
      KAFKA_PORT: '0',
      CLICKHOUSE_PORT: '0',
    };
    const stack = spawn(process.execPath, ['tools/local/dist/main.js'], {
      cwd: root,
      env: { ...process.env, ...ports, SLUICE_DATA_DIR: dataDir },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await ready(stack).catch((error: unknown) => {
      stack.kill('SIGTERM');
      throw error;
    });
    return new LocalStack(dataDir, stack);
  }

  get local(): Local {
    return JSON.parse(readFileSync(join(this.dataDir, 'local.json'), 'utf8')) as Local;
  }

  /** Runs the operator CLI against the stack. @returns its parsed JSON output */
  async operator<T>(...args: string[]): Promise<T> {
    const { stdout } = await runOperator([...args, '--json'], { SLUICE_DATA_DIR: this.dataDir });
    return JSON.parse(stdout) as T;
  }

  /** A link that signs in an admin who may read payloads, and erase and export people. */
  async consoleLink(user = 'admin'): Promise<string> {
    const rights = ['--role', 'admin', '--payloads', '--privacy'];
    const { link } = await this.operator<{ link: string }>('console', 'invite', user, ...rights);
    return link;
  }

  /** @throws Error when the stack does not stop cleanly. */
  async stop(): Promise<void> {
    if (!this.process) return;
    this.process.kill('SIGTERM');
    if (this.process.exitCode === null) await once(this.process, 'exit');
    const code = this.process.exitCode;
    await rm(this.dataDir, { recursive: true, force: true });
    if (code !== 0) throw new Error(`the local stack did not stop cleanly: exit code ${String(code)}`);
  }
}

/** Sends a body to a route of the demo source, and reads the answer to its end. @returns the request's id */
export async function sendTo({ gateway, source }: Local, body: object, route = 'track'): Promise<string> {
  const answer = await fetch(`${gateway.url}/api/tracker/sdk/${source.sourceIdentifier}/${route}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${source.apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  await answer.arrayBuffer();
  return answer.headers.get('x-request-id') ?? '';
}

/** Resolves when the stack prints its first curl command, a part of its banner. */
function ready(stack: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    let output = '';
    const timer = setTimeout(
      () => reject(new Error(`the local stack was not ready within ${startTimeoutMs} ms:\n${output}`)),
      startTimeoutMs,
    );
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
