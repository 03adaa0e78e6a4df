import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { seeded } from '@sluice/sdk-contract';
import { endedEarly, type CommandRun } from '../run/command.js';
import { type FaultRunOptions } from '../run/options.js';
import { KilledDevice } from './device.js';
import { listComplaints, type KillOutcome, summarizeKills, formatKillOutcome, formatVerdict } from './outcome.js';
import { type KillPlatform, type Program } from './platform.js';
import { FaultyService } from './service.js';

const sayEveryMs = 30_000;

/** The run in which processes of a platform are killed. */
export const killRun = (platform: KillPlatform): CommandRun => ({
  command: platform.command,
  report: async (options) => {
    const outcome = await kill(platform, options);
    return {
      table: formatKillOutcome(outcome),
      isGood: listComplaints(outcome).length === 0,
      remarks: [endedEarly(outcome.kills, options, 'kills'), formatVerdict(outcome)],
    };
  },
});

/** Kills processes again and again at random moments, lets their devices send what is left, and counts. */
export async function kill(platform: KillPlatform, options: FaultRunOptions): Promise<KillOutcome> {
  const program = await platform.build(options);
  try {
    if (options.mutant === undefined && program.cost) console.log(`track: ${await program.cost()}`);
    return await killed(platform, program, options);
  } finally {
    await program.remove();
  }
}

async function killed(platform: KillPlatform, program: Program, options: FaultRunOptions): Promise<KillOutcome> {
  const { limit, devices, seed, tailMs, durationMs } = options;
  const random = seeded(seed);
  const service = new FaultyService(random, platform.shares);
  const url = await service.listen();
  const root = await mkdtemp(join(tmpdir(), 'sluice-kills-'));
  const killed = Array.from({ length: devices }, (_, index) => {
    const name = `d${index}`;
    const draining = (work: () => Promise<void>): Promise<void> =>
      platform.isCalmDrain ? service.calmly(name, work) : work();
    const requested = (): Promise<void> => service.untilRequest(name);
    const place = { host: `${url}/${name}`, folder: join(root, name) };
    return { name, device: new KilledDevice({ ...place, platform, program, random, tailMs, draining, requested }) };
  });
  const kills = (): number => killed.reduce((sum, { device }) => sum + device.kills, 0);
  const timer = setInterval(() => console.error(`${kills()} killed`), sayEveryMs);
  const until = performance.now() + durationMs;
  try {
    await Promise.all(
      killed.map(async ({ device }) => {
        while (kills() < limit && performance.now() < until) await device.live();
      }),
    );
    for (const { name, device } of killed) await service.calmly(name, () => device.drain());
    const leftFiles = (await Promise.all(killed.map(({ device }) => device.files()))).flat().length;
    const observed = killed.map(({ name, device }) => ({ device, arrivals: service.arrivalsFrom(name) }));
    return summarizeKills(observed, { faults: service.faults, left: leftFiles, tailMs });
  } finally {
    clearInterval(timer);
    service.stop();
    await rm(root, { recursive: true, force: true });
  }
}
