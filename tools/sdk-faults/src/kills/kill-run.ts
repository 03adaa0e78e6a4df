import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { seeded } from '@sluice/sdk-contract';
import { endedEarly, type Run } from '../run/command.js';
import { type RunOptions } from '../run/options.js';
import { Device } from './device.js';
import { complaintsOf, type Outcome, outcomeOf, textOf, verdictOf } from './outcome.js';
import { type KillPlatform, type Program } from './platform.js';
import { Service } from './service.js';

const sayEveryMs = 30_000;

/** The run in which processes of a platform are killed. */
export const killRun = (platform: KillPlatform): Run => ({
  command: platform.command,
  report: async (options) => {
    const outcome = await kill(platform, options);
    return {
      table: textOf(outcome),
      isGood: complaintsOf(outcome).length === 0,
      remarks: [endedEarly(outcome.kills, options, 'kills'), verdictOf(outcome)],
    };
  },
});

/** Kills processes again and again at random moments, lets their devices send what is left, and counts. */
export async function kill(platform: KillPlatform, options: RunOptions): Promise<Outcome> {
  const program = await platform.build(options);
  try {
    if (options.mutant === undefined && program.cost) console.log(`track: ${await program.cost()}`);
    return await killed(platform, program, options);
  } finally {
    await program.remove();
  }
}

async function killed(platform: KillPlatform, program: Program, options: RunOptions): Promise<Outcome> {
  const { limit, devices, seed, tailMs, durationMs } = options;
  const random = seeded(seed);
  const service = new Service(random, platform.shares);
  const url = await service.listen();
  const root = await mkdtemp(join(tmpdir(), 'sluice-kills-'));
  const all = Array.from({ length: devices }, (_, at) => {
    const name = `d${at}`;
    const draining = (work: () => Promise<void>): Promise<void> =>
      platform.isCalmDrain ? service.calmly(name, work) : work();
    const requested = (): Promise<void> => service.requestOf(name);
    const place = { host: `${url}/${name}`, folder: join(root, name) };
    return { name, device: new Device({ ...place, platform, program, random, tailMs, draining, requested }) };
  });
  const kills = (): number => all.reduce((sum, { device }) => sum + device.kills, 0);
  const timer = setInterval(() => console.error(`${kills()} killed`), sayEveryMs);
  const until = performance.now() + durationMs;
  try {
    await Promise.all(
      all.map(async ({ device }) => {
        while (kills() < limit && performance.now() < until) await device.live();
      }),
    );
    for (const { name, device } of all) await service.calmly(name, () => device.drain());
    const left = (await Promise.all(all.map(({ device }) => device.files()))).flat().length;
    const observed = all.map(({ name, device }) => ({ device, arrivals: service.arrivalsOf(name) }));
    return outcomeOf(observed, { faults: service.faults, left, tailMs });
  } finally {
    clearInterval(timer);
    service.stop();
    await rm(root, { recursive: true, force: true });
  }
}
