import { parseArgs } from 'node:util';

/** A run and its options on the command line. */
export interface FaultCommand {
  /** First argument; empty for the run without one. */
  readonly name: string;
  /** Number that ends the run, of faults or of processes that were killed. */
  readonly limit: 'faults' | 'kills';
  readonly defaults: { readonly limit: number; readonly duration: string; readonly devices: number };
  /** Noun for a device. */
  readonly devices: string;
  /** Clients that are wrong on purpose. */
  readonly mutants: readonly string[];
  /** Milliseconds before a kill whose calls it may take. Runs without kills have none. */
  readonly tailMs?: number;
}

export interface FaultRunOptions {
  readonly limit: number;
  readonly durationMs: number;
  readonly devices: number;
  readonly seed: number;
  readonly tailMs: number;
  readonly mutant: string | undefined;
}

const names = ['faults', 'kills', 'duration', 'devices', 'seed', 'tail', 'mutant'] as const;

/** The options of a command with their defaults and meanings. */
function listOptions({ limit, defaults, devices, mutants, tailMs }: FaultCommand): [string, string, string][] {
  const ends = limit === 'faults' ? 'faults after which the run ends' : 'processes that are killed with SIGKILL';
  return [
    [limit, String(defaults.limit), ends],
    [
      'duration',
      defaults.duration,
      'how long clients meet faults, at most: 30s, 10m, 2h; the report says if it ended the run',
    ],
    ['devices', String(defaults.devices), devices],
    ['seed', '1', "chooses what clients do and meet; the order in time is the machine's"],
    ...(tailMs === undefined
      ? []
      : [['tail', String(tailMs), 'milliseconds before a kill whose calls it may take'] as [string, string, string]]),
    ...(mutants.length === 0
      ? []
      : [
          ['mutant', '', `clients that are wrong on purpose, so that the run must fail: ${mutants.join(', ')}`] as [
            string,
            string,
            string,
          ],
        ]),
  ];
}

export function formatUsage(command: FaultCommand): string {
  const rows = listOptions(command);
  const optionTexts = rows.map(([name, value]) => `[--${name} ${value || `'${command.mutants[0] ?? ''}'`}]`).join(' ');
  const lines = rows.map(([name, , meaning]) => `  --${name.padEnd(9)} ${meaning}`);
  return [`npm run test:sdk-faults -- ${command.name ? `${command.name} ` : ''}${optionTexts}\n`, ...lines].join('\n');
}

/** @throws Error that says what is wrong with the arguments. */
export function readRunOptions(command: FaultCommand, args: readonly string[]): FaultRunOptions {
  const defaults = new Map(listOptions(command).map(([name, value]) => [name, value]));
  const options = Object.fromEntries(
    names.filter((name) => defaults.has(name)).map((name) => [name, { type: 'string' as const }]),
  );
  const { values } = parseArgs({ args: [...args], options });
  const readValue = (name: string): string => values[name] ?? defaults.get(name) ?? '';
  return {
    limit: requireCount(`--${command.limit}`, readValue(command.limit)),
    durationMs: requireTime(readValue('duration')),
    devices: requireCount('--devices', readValue('devices')),
    seed: requireCount('--seed', readValue('seed')),
    tailMs: command.tailMs === undefined ? 0 : requireWholeNumber('--tail', readValue('tail')),
    mutant: requireMutant(command.mutants, readValue('mutant')),
  };
}

function requireMutant(mutants: readonly string[], name: string): string | undefined {
  if (name === '' || mutants.includes(name)) return name || undefined;
  throw new Error(`--mutant can be ${mutants.join(' or ')}; it is '${name}'`);
}

function requireWholeNumber(option: string, text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new Error(`${option} must be a whole number; it is '${text}'`);
}

export function requireCount(option: string, text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new Error(`${option} must be a whole number from 1; it is '${text}'`);
}

const unitMs = { s: 1_000, m: 60_000, h: 3_600_000 } as const;

export function requireTime(text: string): number {
  const [, amount, unit] = /^([1-9]\d{0,4})([smh])$/.exec(text) ?? [];
  if (unit === undefined) throw new Error(`--duration must be a time like 30s, 10m or 2h; it is '${text}'`);
  return Number(amount) * unitMs[unit as keyof typeof unitMs];
}
