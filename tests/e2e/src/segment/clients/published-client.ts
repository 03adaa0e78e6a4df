import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventually, freePort } from '@sluice/testing';
import { expect } from 'vitest';
import { type GatewayProcess, startGatewayProcess } from '../../gateway-process.js';
import { local, select } from '../../stack.js';
import { type SegmentSource } from '../write-key.js';

/** A program that sends every call, and then COUNT events at a hundred a second, with a client from a registry. */
export interface ClientProgram {
  command: string;
  args: readonly string[];
  cwd?: string;
  /** True when the client sends the key only in bodies. Its host then gets the key in the path. */
  hasKeyInPath?: boolean;
}

/** Faults while a client sends; it may try again as long as it likes. */
export interface Faults {
  /** True when Kafka is paused for three seconds as well, which stops everything else that uses the stack. */
  pausesKafka: boolean;
}

/** A separate gateway that is killed and started again at the same address, with the same data. */
class KilledGateway {
  private readonly dataDir = mkdtempSync(join(tmpdir(), 'sluice-segment-'));
  private current: GatewayProcess | undefined;

  constructor(private readonly port: number) {}

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  async start(): Promise<void> {
    this.current = await startGatewayProcess({ GATEWAY_PORT: String(this.port), GATEWAY_DATA_DIR: this.dataDir });
  }

  async kill(): Promise<void> {
    await this.current?.stop('SIGKILL');
  }

  async stop(): Promise<void> {
    await this.current?.stop();
    rmSync(this.dataDir, { recursive: true, force: true });
  }
}

/** Runs the program against a gateway that is killed twice. @throws Error when the program fails, with what it wrote. */
export async function runThroughFaults(
  { command, args, cwd, hasKeyInPath = false }: ClientProgram,
  { source, userId, count }: { source: SegmentSource; userId: string; count: number },
  { pausesKafka }: Faults,
): Promise<void> {
  const gateway = new KilledGateway(await freePort());
  await gateway.start();
  const host = hasKeyInPath ? `${gateway.url}/s/${source.writeKey}` : gateway.url;
  const env = { ...process.env, HOST: host, WRITE_KEY: source.writeKey, COUNT: String(count), USER_ID: userId };
  const program = spawn(command, args, { cwd, env, stdio: 'pipe' });
  let output = '';
  for (const stream of [program.stdout, program.stderr]) stream.on('data', (text) => (output += String(text)));
  try {
    const ended = once(program, 'exit') as Promise<[number | null]>;
    for (let kill = 0; kill < 2; kill++) {
      await sleep(2_000);
      await gateway.kill();
      await sleep(1_000);
      await gateway.start();
      if (pausesKafka) await pausedKafka(3_000);
    }
    program.stdin.end();
    const [code] = await ended;
    if (code !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${code}: ${output.slice(-2_000)}`);
  } finally {
    program.kill('SIGKILL');
    await gateway.stop();
  }
}

async function pausedKafka(ms: number): Promise<void> {
  const { pid } = local().kafka;
  process.kill(pid, 'SIGSTOP');
  await sleep(ms);
  process.kill(pid, 'SIGCONT');
}

/** Waits until every call of the client is in its table with its ids, and every event is stored once. */
export async function expectAllStored(userId: string, count: number): Promise<void> {
  const parameters = { userId };
  await eventually(async () => {
    const events = `SELECT count() AS rows, uniqExact(message_id) AS ids, uniqExact(properties.n::Int64) AS numbers
       FROM events FINAL WHERE user_id = {userId:String} AND event = 'Order Completed'`;
    expect(await select(events, parameters)).toEqual([{ rows: count, ids: count, numbers: count }]);
    const otherEvents = `SELECT event, properties.name::String AS name, properties.groupId::String AS groupId
       FROM events FINAL WHERE user_id = {userId:String} AND event != 'Order Completed' ORDER BY event`;
    expect(await select(otherEvents, parameters)).toEqual([
      { event: 'group', name: '', groupId: 'g-1' },
      { event: 'page', name: 'Home', groupId: '' },
      { event: 'screen', name: 'Cart', groupId: '' },
    ]);
    const people = `SELECT anonymous_id != '' AS tied, traits.plan::String AS plan
       FROM identifies FINAL WHERE user_id = {userId:String} ORDER BY tied`;
    expect(await select(people, parameters)).toMatchObject([{ plan: 'pro' }, { plan: '' }]);
    const former =
      'SELECT anonymous_id FROM identifies FINAL WHERE user_id = {userId:String} AND anonymous_id = {former:String}';
    expect(await select(former, { ...parameters, former: `${userId}-before` })).toHaveLength(1);
  });
}
