import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { seeded } from '@sluice/sdk-contract';
import { optionsOrExit } from '../run/command.js';
import { Device } from './device.js';
import { type KotlinOptions, readKotlinOptions, usage } from './options.js';
import { Program } from './program.js';
import { isGood, type Outcome, outcomeOf, textOf, verdictOf } from './report.js';
import { Service } from './service.js';

/** `npm run test:sdk-faults -- kotlin`. Resolves with the exit code. */
export async function main(args: readonly string[]): Promise<number> {
  const options = optionsOrExit(() => readKotlinOptions(args), usage);
  console.log(`seed ${options.seed}, ${options.devices} devices, until ${options.kills} processes were killed`);
  if (options.mutant) console.log(`a mutant that must fail: ${options.mutant}`);
  const outcome = await run(options);
  console.log(`\n${textOf(outcome)}\n`);
  console.log(verdictOf(outcome));
  return isGood(outcome) ? 0 : 1;
}

async function run({ kills, devices, seed, tailMs, mutant }: KotlinOptions): Promise<Outcome> {
  const random = seeded(seed);
  const program = await Program.build(mutant);
  if (!mutant) console.log(`track: ${await program.cost()}`);
  const service = new Service(random);
  const url = await service.listen();
  const folder = await mkdtemp(join(tmpdir(), 'sluice-kotlin-'));
  const all = Array.from(
    { length: devices },
    (_, at) => new Device(program, `${url}/d${at}`, join(folder, `d${at}`), random, tailMs),
  );
  const killed = (): number => all.reduce((sum, device) => sum + device.kills, 0);
  const timer = setInterval(() => console.log(`${killed()} killed`), 30_000);
  try {
    await Promise.all(
      all.map(async (device) => {
        while (killed() < kills) await device.live();
      }),
    );
    service.isCalm = true;
    for (const device of all) await device.drain();
    const left = (await Promise.all(all.map((device) => device.files()))).flat().length;
    return outcomeOf(
      all.map((device, at) => ({ device, arrivals: service.arrivalsOf(`d${at}`) })),
      service.faults,
      left,
      tailMs,
    );
  } finally {
    clearInterval(timer);
    service.stop();
    await program.remove();
    await rm(folder, { recursive: true, force: true });
  }
}
