import { expect, it } from 'vitest';
import { type FaultCommand, readRunOptions, formatUsage } from './options.js';

const command: FaultCommand = {
  name: 'node',
  limit: 'faults',
  defaults: { limit: 10_000, duration: '10m', devices: 5 },
  devices: 'directories',
  mutants: ['new-key', 'drops half'],
};
const kills: FaultCommand = { ...command, limit: 'kills', tailMs: 3_000 };

it('reads its options, and names the one that is wrong', () => {
  expect(readRunOptions(command, [])).toEqual({
    limit: 10_000,
    durationMs: 600_000,
    devices: 5,
    seed: 1,
    tailMs: 0,
    mutant: undefined,
  });
  expect(readRunOptions(command, ['--duration', '30s', '--seed', '7', '--mutant', 'new-key'])).toMatchObject({
    durationMs: 30_000,
    seed: 7,
    mutant: 'new-key',
  });
  for (const args of [
    ['--duration', '10'],
    ['--faults', '0'],
    ['--seed', 'x'],
    ['--mutant', 'y'],
    ['--other', '1'],
    ['--kills', '1'],
    ['--tail', '1'],
  ])
    expect(() => readRunOptions(command, args)).toThrow(args[0]);
});

it('a run that kills has kills and a tail', () => {
  expect(readRunOptions(kills, ['--kills', '20', '--tail', '0'])).toMatchObject({ limit: 20, tailMs: 0 });
  expect(() => readRunOptions(kills, ['--faults', '1'])).toThrow('--faults');
});

it('shows all options and what they mean', () => {
  const usage = formatUsage(kills);
  expect(usage).toContain('npm run test:sdk-faults -- node [--kills 10000] [--duration 10m] [--devices 5] [--seed 1]');
  for (const name of ['kills', 'duration', 'devices', 'seed', 'tail', 'mutant'])
    expect(usage).toMatch(new RegExp(`^  --${name} `, 'm'));
});
