import { parseArgs } from 'node:util';

export const benchPartNames = [
  'requests',
  'rows',
  'repeats',
  'freshness',
  'queries',
  'sdk',
  'console',
  'shards',
  'plans',
  'suppressed',
  'erasure',
  'imports',
] as const;
export type PartName = (typeof benchPartNames)[number];
/** Pieces of the part `console`. */
export const consolePieces = ['rows', 'viewers', 'pages', 'thousands'] as const;
export type ConsolePiece = (typeof consolePieces)[number];
/** Parts that run only when named: they fill the disk, take long, need a browser, or packages from npm. */
const onlyByName: readonly PartName[] = [
  'queries',
  'sdk',
  'console',
  'shards',
  'plans',
  'suppressed',
  'erasure',
  'imports',
];

export interface BenchOptions {
  readonly parts: readonly PartName[];
  /** Prints one JSON value on stdout instead of the table. */
  readonly json: boolean;
  /** Folder for CPU profiles of the apps; without it no profiles are taken. */
  readonly profiles?: string;
  /** Pieces that the part `console` measures. */
  readonly only: readonly ConsolePiece[];
  readonly load: BenchLoad;
}

/** Amount of work; times are in seconds. */
export interface BenchLoad {
  readonly connections: readonly number[];
  readonly rounds: number;
  readonly roundSeconds: number;
  readonly warmUpSeconds: number;
  readonly rows: number;
  /** Number of rounds that move the rows. */
  readonly drains: number;
  readonly events: number;
  readonly eventsPerSecond: number;
  /** Rows that the part `repeats` looks up, and rows that are in the table already. */
  readonly repeats: number;
  readonly heldRows: number;
  /** Events in the table when the part `queries` asks. */
  readonly storedEvents: number;
  /** Calls of the Web SDK's `track` that the part `sdk` measures for each length of the queue. */
  readonly calls: number;
}

const defaults: BenchLoad = {
  connections: [32],
  rounds: 8,
  roundSeconds: 5,
  warmUpSeconds: 4,
  rows: 1_500_000,
  drains: 3,
  events: 1_000,
  eventsPerSecond: 50,
  repeats: 500_000,
  heldRows: 3_000_000,
  storedEvents: 20_000_000,
  calls: 2_700,
};
const full: BenchLoad = { ...defaults, connections: [32, 128], heldRows: 100_000_000, storedEvents: 100_000_000 };
/** Shows that the bench works; the figures mean little. */
const quick: BenchLoad = {
  ...defaults,
  rounds: 1,
  roundSeconds: 1,
  warmUpSeconds: 0,
  rows: 30_000,
  drains: 1,
  events: 50,
  repeats: 30_000,
  heldRows: 100_000,
  storedEvents: 200_000,
  calls: 300,
};

export const usage = `npm run bench -- [${benchPartNames.join('|')}]... [--quick|--full] [--stored EVENTS] [--held ROWS] [--only ${consolePieces.join('|')}] [--json] [--profile FOLDER]`;

/** @throws TypeError whose message says what is wrong with the arguments. */
export function readBenchOptions(args: readonly string[]): BenchOptions {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      quick: { type: 'boolean', default: false },
      full: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      profile: { type: 'string' },
      stored: { type: 'string' },
      held: { type: 'string' },
      only: { type: 'string', multiple: true },
    },
  });
  const unknown = positionals.filter((name) => !isPartName(name));
  if (unknown.length > 0) throw new TypeError(`There is no part '${unknown.join("', '")}'`);
  const load = values.quick ? quick : values.full ? full : defaults;
  const countOr = (text: string | undefined, fallback: number, unit: 'events' | 'rows'): number =>
    text === undefined ? fallback : requireCount(text, unit);
  const isChosen = (name: PartName): boolean => positionals.includes(name) || isIncludedIn(name, positionals);
  const isDefault = (name: PartName): boolean => !onlyByName.includes(name);
  return {
    parts: benchPartNames.filter(positionals.length === 0 ? isDefault : isChosen),
    json: values.json,
    ...(values.profile !== undefined && { profiles: values.profile }),
    // Thousands fill the tables and topics of the stack, so they must be named.
    only: values.only?.map(requirePiece) ?? consolePieces.filter((piece) => piece !== 'thousands'),
    load: {
      ...load,
      storedEvents: countOr(values.stored, load.storedEvents, 'events'),
      heldRows: countOr(values.held, load.heldRows, 'rows'),
    },
  };
}

/** The part `repeats` runs whenever `rows` runs, because its costs are compared with those of `rows`. */
const isIncludedIn = (name: PartName, chosenNames: readonly string[]): boolean =>
  name === 'repeats' && chosenNames.includes('rows');

const isPartName = (name: string): name is PartName => (benchPartNames as readonly string[]).includes(name);

function requirePiece(text: string): ConsolePiece {
  const piece = consolePieces.find((name) => name === text);
  if (!piece) throw new TypeError(`The part 'console' has no piece '${text}'`);
  return piece;
}

function requireCount(text: string, unit: 'events' | 'rows'): number {
  const count = Number(text);
  if (!Number.isSafeInteger(count) || count < 1) throw new TypeError(`'${text}' is not a number of ${unit}`);
  return count;
}
