import { setTimeout as sleep } from 'node:timers/promises';
import { loadavg } from 'node:os';
import { type Local, LocalStack, sendTo } from '@sluice/testing';
import { type ConsolePiece, consolePieces, type BenchOptions } from '../options.js';
import { cpuSeconds, memoryMb } from '../process-usage.js';
import { progress } from '../progress.js';
import { type BenchReport, type BenchFigure } from '../report.js';
import { trackBatch, trackMessage } from '../samples.js';
import { median, quantile } from '../statistics.js';
import { measurePaint } from './pages.js';
import { Person, View } from './people.js';
import { measureThousands } from './thousands.js';

const samples = 200;
const pauseMs = 50;
const batch = 20;
const batchesPerSecond = 25;
const viewers = 50;
const stuck = 5;
const viewsOfPerson = 3;
const rounds = 4;

/** Figures of the console against the stack of `npm start`; E2E_DATA_DIR names one that runs already. */
export async function measureConsole({ load, only }: BenchOptions): Promise<BenchReport> {
  const stack = await LocalStack.start();
  try {
    const { local } = stack;
    const admin = await Person.enter(local, await stack.consoleLink(`bench-${Date.now()}`));
    const pieces: Record<ConsolePiece, () => Promise<BenchFigure[]>> = {
      rows: () => measureRows(local, admin),
      viewers: () => watch(local, admin, load.roundSeconds * 2),
      pages: () => measurePaint(local, admin.cookie),
      thousands: () => measureThousands(local, admin.cookie),
    };
    const figures: BenchFigure[] = [];
    for (const piece of consolePieces) {
      if (!only.includes(piece)) continue;
      progress(`console: ${piece}`);
      figures.push(...(await pieces[piece]()));
    }
    const group = 'console, next to everything else on the machine';
    const machine = { group, measure: 'load average, 1 min', unit: '', sluice: loadavg()[0] ?? 0 };
    return { figures: [...figures, machine], failures: [] };
  } finally {
    await stack.stop();
  }
}

/** Measures how soon rows and refusals appear, and how long the journeys of the sent messages take to load. */
async function measureRows(local: Local, admin: Person): Promise<BenchFigure[]> {
  const view = await View.open(admin, false, `?source=${local.source.sourceIdentifier}`);
  await sleep(2_000);
  const accepted = await appear(local, view, (n) => trackMessage(n));
  const refused = await appear(local, view, (n) => ({ event: `refused ${n}` }));
  view.close();
  const figures = [...spread('a row in the stream after its 200', accepted.ms), ...spread('a refusal', refused.ms)];
  return [...figures, ...(await measureJourneys(admin, accepted.ids))];
}

/** Sends messages one by one. Resolves with the milliseconds from each answer until the stream has shown it. */
async function appear(
  local: Local,
  view: View,
  message: (n: number) => object,
): Promise<{ ms: number[]; ids: string[] }> {
  const answered = new Map<string, number>();
  for (let n = 0; n < samples; n++) {
    const id = await sendTo(local, message(n));
    answered.set(id, performance.now());
    await sleep(pauseMs);
  }
  await sleep(5_000);
  // The stream shows only some refusals: five a minute of a source and a reason, more while someone watches the source.
  const ms = [...answered].flatMap(([id, at]) => {
    const seenAt = view.seen.get(id);
    return seenAt === undefined ? [] : [Math.max(0, seenAt - at)];
  });
  return { ms, ids: [...answered.keys()] };
}

const spread = (measure: string, ms: readonly number[]): BenchFigure[] => [
  { group: `console, ${measure} appears`, measure: 'p50', unit: 'ms', sluice: quantile(ms, 0.5) },
  { group: `console, ${measure} appears`, measure: 'p99', unit: 'ms', sluice: quantile(ms, 0.99) },
  { group: `console, ${measure} appears`, measure: 'seen', unit: 'requests', sluice: ms.length },
];

async function measureJourneys(admin: Person, ids: readonly string[]): Promise<BenchFigure[]> {
  const group = 'console, journey by request id';
  const figures: BenchFigure[] = [];
  for (const [measure, query] of [
    ['stored, tables only', '?search=tables'],
    ['searched in Kafka too', ''],
  ] as const) {
    const ms: number[] = [];
    for (const id of ids.slice(0, 10)) {
      const startedAt = performance.now();
      await admin.ask('GET', `/api/requests/${id}${query}`);
      ms.push(performance.now() - startedAt);
    }
    for (const q of [0.5, 1]) {
      figures.push({
        group,
        measure: `${measure}, ${q === 1 ? 'slowest' : 'p50'}`,
        unit: 'ms',
        sluice: quantile(ms, q),
      });
    }
  }
  return figures;
}

/** Measures what viewers cost: the same load without and with them, in turn, because the broker differs from minute to minute. */
async function watch(local: Local, admin: Person, seconds: number): Promise<BenchFigure[]> {
  const people = [admin];
  while (people.length * viewsOfPerson < viewers) people.push(await admin.another(local));
  const sides = {
    alone: () => usage(local, seconds),
    watched: async (): Promise<Usage> => {
      const views = await openViews(people);
      return usage(local, seconds).finally(() => {
        for (const view of views) view.close();
      });
    },
  };
  const used: Record<keyof typeof sides, Usage[]> = { alone: [], watched: [] };
  for (let round = 0; round < rounds; round++) {
    const order = ['alone', 'watched'] as const;
    for (const side of round % 2 === 0 ? order : order.toReversed()) used[side].push(await sides[side]());
  }
  const percent = (usages: readonly Usage[], ...names: Process[]): number =>
    100 * median(usages.map((usage) => names.reduce((sum, name) => sum + usage[name], 0)));
  const group = `console, ${viewers} viewers (${stuck} stuck), ${batch * batchesPerSecond} events a second`;
  const figure = (measure: string, ...names: Process[]): BenchFigure => ({
    group,
    measure: `${measure}, of a core; floor: without viewers`,
    unit: '%',
    sluice: percent(used.watched, ...names),
    floor: percent(used.alone, ...names),
  });
  const rows = [
    ...(['console', 'gateway', 'tracking', 'kafka'] as const).map((name) => figure(name, name)),
    figure('gateway, tracking and kafka', 'gateway', 'tracking', 'kafka'),
  ];
  const { resident } = memoryMb(local.console.pid);
  return [...rows, { group, measure: 'console, resident', unit: 'MiB', sluice: resident }];
}

async function openViews(people: readonly Person[]): Promise<View[]> {
  const views: View[] = [];
  for (const person of people)
    for (let i = 0; i < viewsOfPerson && views.length < viewers; i++)
      views.push(await View.open(person, views.length < stuck));
  return views;
}

type Process = 'console' | 'gateway' | 'tracking' | 'kafka';
type Usage = Record<Process, number>;

/** Cores that the processes use under a steady load. */
async function usage(local: Local, seconds: number): Promise<Usage> {
  const pids = { console: local.console.pid, gateway: local.gateway.pid, tracking: local.tracking.pid };
  const all = Object.entries({ ...pids, kafka: local.kafka.pid });
  const before = all.map(([, pid]) => cpuSeconds(pid));
  const startedAt = performance.now();
  for (let n = 0; performance.now() - startedAt < seconds * 1_000; n++) {
    await Promise.all([sendTo(local, trackBatch(n, batch), 'trackBatch'), sleep(1_000 / batchesPerSecond)]);
  }
  const took = (performance.now() - startedAt) / 1_000;
  return Object.fromEntries(all.map(([name, pid], i) => [name, (cpuSeconds(pid) - (before[i] ?? 0)) / took])) as Usage;
}
