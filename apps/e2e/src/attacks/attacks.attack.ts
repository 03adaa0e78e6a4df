import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, it } from 'vitest';
import { forgetPeak, peakMb } from '../faults/peak-memory.js';
import { type GatewayProcess, startGatewayProcess } from '../gateway-process.js';
import { local } from '../stack.js';
import { type Order, type Target } from './attack.js';
import { allAttacks } from './list/all-attacks.js';
import { beOrdinary, type Served } from './ordinary-client.js';

const seconds = Number(process.env['ATTACK_SECONDS'] ?? 20);
const only = new RegExp(process.env['ATTACK'] ?? '');
/** The compiled file, because a child process runs JavaScript. */
const program = fileURLToPath(new URL('../../dist/attacks/attack-process.js', import.meta.url));

const rows: Record<string, string | number>[] = [];
afterAll(() => {
  console.table(rows);
});

async function attacked(name: string, gateway: GatewayProcess): Promise<Served & { grownMb: number }> {
  const target: Target = { url: gateway.url, ...local().source };
  // Warm up first, so that code and caches of ordinary traffic do not count as growth.
  await beOrdinary(target, 2);
  await forgetPeak(gateway.pid);
  const before = await peakMb(gateway.pid);
  const attacker = fork(program, { execArgv: [] });
  const ended = once(attacker, 'exit');
  attacker.send({ name, target, seconds } satisfies Order);
  const served = await beOrdinary(target, seconds);
  const grownMb = (await peakMb(gateway.pid)) - before;
  const timer = setTimeout(() => attacker.kill('SIGKILL'), 10_000);
  const [code] = (await ended) as [number | null];
  clearTimeout(timer);
  if (code) throw new Error(`the attack '${name}' ended with ${code}`);
  return { ...served, grownMb };
}

it.each(allAttacks.filter(({ name }) => only.test(name)))(
  'an ordinary client is served as usual during the attack: $name',
  async ({ name }) => {
    const gateway = await startGatewayProcess({ PUSH_TOKEN_KEYS: local().pushTokenKeys });
    try {
      const { calls, failed, slowestMs, grownMb } = await attacked(name, gateway);
      rows.push({
        attack: name,
        calls,
        failed: failed.length,
        'slowest ms': Math.round(slowestMs),
        'grown MiB': grownMb,
      });
      expect(failed).toEqual([]);
      expect(slowestMs).toBeLessThan(1_500);
      expect(grownMb).toBeLessThan(250);
    } finally {
      await gateway.stop('SIGKILL');
    }
  },
  (seconds + 60) * 1_000,
);
