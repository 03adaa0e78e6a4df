import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { forgetPeak, peakMb } from '../faults/peak-memory.js';
import { type GatewayProcess, startGatewayProcess } from '../gateway-process.js';
import { local, operator } from '../stack.js';
import { type AttackCredentials, type Order, spinning, type AttackTarget } from './attack.js';
import { allAttacks } from './list/all-attacks.js';
import { beOrdinary, type Served } from './ordinary-client.js';

const seconds = Number(process.env['ATTACK_SECONDS'] ?? 20);
const aloneSeconds = 5;
const only = new RegExp(process.env['ATTACK'] ?? '');
/** The compiled file, because a child process runs JavaScript. */
const program = fileURLToPath(new URL('../../dist/attacks/attack-process.js', import.meta.url));

const rows: Record<string, string | number>[] = [];
afterAll(() => console.table(rows));

/** Default limit of p99 during an attack. It is the same on every machine, unlike that of `maxTimes`. */
const usualMaxMs = 500;

/** Smallest p99 that `maxTimes` multiplies. Next to two spinning processes on two cores p99 is 43 to 62 ms. */
const minAloneMs = 50;

interface Attacked extends Served {
  grownMb: number;
  aloneMs: number;
}

let attackers: AttackCredentials;
beforeAll(async () => {
  const name = `attacker-${process.pid}`;
  attackers = await operator<AttackCredentials>('sources', 'create', '--name', name, '--type', 'web-sdk', '--segment');
});

async function attacked(name: string, gateway: GatewayProcess): Promise<Attacked> {
  const { url } = gateway;
  const { source: ordinary } = local();
  const client = { url, ...ordinary };
  const target: AttackTarget = { url, ...attackers, ordinary };
  // Warm up first, so that code and caches of ordinary traffic do not count as growth.
  await beOrdinary(client, 3);
  const alone = await nextToSpinning(() => beOrdinary(client, aloneSeconds));
  await forgetPeak(gateway.pid);
  const before = await peakMb(gateway.pid);
  const attacker = fork(program, { execArgv: [] });
  const ended = once(attacker, 'exit');
  attacker.send({ name, target, seconds } satisfies Order);
  const served = await beOrdinary(client, seconds);
  const grownMb = (await peakMb(gateway.pid)) - before;
  const timer = setTimeout(() => attacker.kill('SIGKILL'), 10_000);
  const [code] = (await ended) as [number | null];
  clearTimeout(timer);
  if (code) throw new Error(`the attack '${name}' ended with ${code}`);
  return { ...served, grownMb, aloneMs: alone.p99Ms };
}

/** Runs the client next to a spinning process, because the attacker also takes a processor from the gateway. */
async function nextToSpinning<T>(work: () => Promise<T>): Promise<T> {
  const spinner = fork(program, { execArgv: [] });
  spinner.send({ name: spinning });
  try {
    return await work();
  } finally {
    spinner.kill('SIGKILL');
  }
}

it.each(allAttacks.filter(({ name }) => only.test(name)))(
  'an ordinary client is served as usual during the attack: $name',
  async ({ name, maxTimes, maxMs = usualMaxMs }) => {
    const gateway = await startGatewayProcess({ PUSH_TOKEN_KEYS: local().pushTokenKeys });
    try {
      const { calls, failed, p99Ms, slowestMs, grownMb, aloneMs } = await attacked(name, gateway);
      rows.push({
        attack: name,
        calls,
        failed: failed.length,
        'alone p99 ms': Math.round(aloneMs),
        'p99 ms': Math.round(p99Ms),
        'slowest ms': Math.round(slowestMs),
        'grown MiB': grownMb,
      });
      expect(failed).toEqual([]);
      expect(p99Ms).toBeLessThan(maxMs);
      if (maxTimes !== undefined) expect(p99Ms).toBeLessThan(maxTimes * Math.max(aloneMs, minAloneMs));
      expect(slowestMs).toBeLessThan(1_500);
      expect(grownMb).toBeLessThan(250);
    } finally {
      await gateway.stop('SIGKILL');
    }
  },
  (seconds + 60) * 1_000,
);
