import { spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { startBenchApp, startBenchGateway } from '../apps.js';
import { type BenchOptions } from '../options.js';
import { cpuSeconds } from '../process-usage.js';
import { progress } from '../progress.js';
import { makeTables } from '../queries/make-tables.js';
import { type BenchFigure, type BenchReport } from '../report.js';
import { type BenchServers } from '../servers.js';
import { createSender } from '../source.js';
import { median, quantile } from '../statistics.js';
import { Feed } from './feed.js';
import { sendPaced } from './paced.js';

const recordsPerSecond = 2_000;
const eventsPerSecond = 100;
/** Time in which an import reaches its rate, and its records are stored afterwards. */
const settlingMs = 6_000;
const burner = fileURLToPath(new URL('./burn-process.js', import.meta.url));

/** Times of the answers, and the share of a processor that each process took. */
interface Phase {
  readonly answerMs: readonly number[];
  readonly shares: Readonly<Record<string, number>>;
}

/**
 * Measures what an import of variants at a rate does to a client that sends events to the same gateway: alone, next to
 * the import, and next to a process that takes as much processor time as the import makes all processes take.
 */
export async function measureImports(servers: BenchServers, { load, profiles }: BenchOptions): Promise<BenchReport> {
  await makeTables(servers);
  const [shop, catalog] = [await createSender(servers), await createSender(servers)];
  const gateway = await startBenchGateway(servers, profiles);
  const consumers = [await startBenchApp(servers, 'tracking'), await startBenchApp(servers, 'catalog')] as const;
  const feed = new Feed(servers, catalog, gateway.url);
  const order = { url: `${gateway.url}${shop.path}/track`, headers: shop.headers, perSecond: eventsPerSecond };
  const pids: Record<string, number> = {
    gateway: gateway.process.pid,
    Kafka: servers.kafkaPid,
    ClickHouse: servers.clickhousePid,
    'consumer of events': consumers[0].pid,
    'consumer of the catalog': consumers[1].pid,
  };
  let failed = 0;
  const measure = async (seconds: number, importer: Record<string, number> = {}): Promise<Phase> => {
    const watched = Object.entries({ ...pids, ...importer });
    const before = new Map(watched.map(([name, pid]) => [name, cpuSeconds(pid)]));
    const startedAt = performance.now();
    const result = await sendPaced({ ...order, seconds });
    const elapsedSeconds = (performance.now() - startedAt) / 1_000;
    failed += result.failed;
    const share = (name: string, pid: number): number => (cpuSeconds(pid) - (before.get(name) ?? 0)) / elapsedSeconds;
    return {
      answerMs: result.answerMs,
      shares: Object.fromEntries(watched.map(([name, pid]) => [name, share(name, pid)])),
    };
  };

  await measure(load.warmUpSeconds);
  const phases = { alone: [] as Phase[], importing: [] as Phase[], burning: [] as Phase[] };
  const failures: string[] = [];
  for (let round = 1; round <= load.rounds; round++) {
    progress(`imports, round ${round} of ${load.rounds}`);
    const alone = await measure(load.roundSeconds);
    const running = feed.start(recordsPerSecond * (load.roundSeconds + 2 * (settlingMs / 1_000)), recordsPerSecond);
    await sleep(settlingMs);
    const importing = await measure(load.roundSeconds, { 'the command': running.pid });
    if (!running.isRunning()) failures.push('imports: the import ended before the measurement');
    await running.stop();
    await sleep(settlingMs);
    const child = spawn(process.execPath, [burner, String(sum(importing) - sum(alone))], { stdio: 'ignore' });
    const burning = await measure(load.roundSeconds);
    child.kill();
    phases.alone.push(alone);
    phases.importing.push(importing);
    phases.burning.push(burning);
  }
  if (failed > 0) failures.push(`imports: ${failed} events were not taken`);
  return { figures: [...answerFigures(phases), ...shareFigures(phases)], failures };
}

const sum = ({ shares }: Phase): number => Object.values(shares).reduce((total, share) => total + share, 0);

type Phases = Readonly<Record<'alone' | 'importing' | 'burning', readonly Phase[]>>;

/** Medians of the rounds: a machine that stands still in one of them must not be what is reported. */
function answerFigures(phases: Phases): BenchFigure[] {
  const group = `answers to ${eventsPerSecond} events a second, medians of the rounds; floor: alone`;
  const names = {
    importing: `next to an import of ${recordsPerSecond} records a second`,
    burning: 'next to as much other processor time',
  };
  return [0.5, 0.99].flatMap((q) =>
    (['importing', 'burning'] as const).map((name) => {
      const floors = phases.alone.map(({ answerMs }) => quantile(answerMs, q));
      const times = phases[name].map(({ answerMs }) => quantile(answerMs, q));
      const ratios = times.map((ms, round) => ms / (floors[round] ?? NaN));
      return {
        ...{ group, measure: `p${q * 100} ${names[name]}`, unit: 'ms' },
        ...{ sluice: median(times), floor: median(floors), ratio: median(ratios) },
        ratios: [Math.min(...ratios), Math.max(...ratios)] as const,
      };
    }),
  );
}

function shareFigures({ alone, importing }: Phases): BenchFigure[] {
  const shareOf = (phases: readonly Phase[], name: string): number =>
    median(phases.map(({ shares }) => shares[name] ?? 0));
  return Object.keys(importing[0]?.shares ?? {}).map((measure) => ({
    ...{ group: 'cores that are taken during the import; floor: alone', measure, unit: 'cores' },
    sluice: shareOf(importing, measure),
    floor: shareOf(alone, measure),
  }));
}
