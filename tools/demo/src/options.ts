import { parseArgs } from 'node:util';
import { DemoError } from './demo-error.js';
import { lostEvents } from './lost-event/lost-events.js';

/** An event that is missing in one version of an app. */
export interface LostEvent {
  readonly event: string;
  readonly version: string;
}

export interface DemoOptions {
  /** Messages per second; undefined means as fast as the gateway takes them. */
  readonly rate: number | undefined;
  readonly users: number;
  readonly seed: string;
  /** Undefined means forever. */
  readonly durationMs: number | undefined;
  /** Days over which past events are spread; undefined means live events. */
  readonly historyDays: number | undefined;
  /** Undefined means that nothing is lost. */
  readonly lost: LostEvent | undefined;
}

export const demoUsage = `npm run demo -- [--rate 50] [--users 200] [--seed 1] [--duration 5m] [--history 30d] [--break order_completed@2.3.0]

  --rate      messages per second; the default with --history is as fast as the gateway takes them
  --users     number of people
  --seed      the same seed gives the same people, catalog and events; another seed gives another shop
  --duration  how long the shop is open: 30s, 5m, 2h; without it, until ^C
  --history   sends events of the last days instead of live ones, then ends
  --break     fills four weeks with events of an app that loses one in a version, and shows what the watch finds`;

const unitMs = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
const liveRate = 50;

/** @throws DemoError whose message says what is wrong with the arguments. */
export function readDemoOptions(args: readonly string[]): DemoOptions {
  const { rate, users, seed, duration, history, break: lost } = parseArguments(args);
  const historyDays = history === undefined ? undefined : parseTime('--history', history) / unitMs.d;
  return {
    rate: rate !== undefined ? parseCount('--rate', rate, 100_000) : historyDays === undefined ? liveRate : undefined,
    users: parseCount('--users', users, 100_000),
    seed: checkSeed(seed),
    durationMs: duration === undefined ? undefined : parseTime('--duration', duration),
    historyDays,
    lost: lost === undefined ? undefined : parseLostEvent(lost),
  };
}

function parseArguments(args: readonly string[]) {
  try {
    const text = { type: 'string' } as const;
    return parseArgs({
      args: [...args],
      options: {
        rate: text,
        duration: text,
        history: text,
        break: text,
        users: { ...text, default: '200' },
        seed: { ...text, default: '1' },
      },
    }).values;
  } catch (error) {
    throw new DemoError(`${(error as Error).message}\n\n${demoUsage}`);
  }
}

function parseCount(option: string, text: string, max: number): number {
  const value = Number(text);
  if (/^[1-9]\d*$/.test(text) && value <= max) return value;
  throw new DemoError(`${option} must be a whole number from 1 to ${max}; it is '${text}'`);
}

function parseLostEvent(text: string): LostEvent {
  const [, event = '', version = ''] = /^(\w+)@([\w.-]{1,32})$/.exec(text) ?? [];
  if (lostEvents.some((name) => name === event)) return { event, version };
  throw new DemoError(
    `--break must be an event and a version, like order_completed@2.3.0, of ${lostEvents.join(', ')}; it is '${text}'`,
  );
}

/** The seed is part of ids, which can have at most 64 characters. */
function checkSeed(text: string): string {
  if (/^[A-Za-z0-9_-]{1,16}$/.test(text)) return text;
  throw new DemoError(`--seed must be 1 to 16 of A-Z a-z 0-9 _ -; it is '${text}'`);
}

function parseTime(option: string, text: string): number {
  const [, amount, unit] = /^(\d{1,5})([smhd])$/.exec(text) ?? [];
  if (unit === undefined || Number(amount) === 0) {
    throw new DemoError(`${option} must be a time like 30s, 5m, 2h or 30d; it is '${text}'`);
  }
  return Number(amount) * unitMs[unit as keyof typeof unitMs];
}
