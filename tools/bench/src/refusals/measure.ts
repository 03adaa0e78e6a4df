import { type BenchGateway, startBenchGateway } from '../apps.js';
import { type BenchLoad, type Options } from '../options.js';
import { progress } from '../progress.js';
import { type BenchReport } from '../report.js';
import { compare, measure, type Sample, type Target } from '../rounds.js';
import { type Servers } from '../servers.js';
import { sideBySide } from '../side-by-side.js';
import { type BenchSource, createSender } from '../source.js';
import { median } from '../statistics.js';
import { measureCalls } from './in-a-loop.js';

const connections = 32;
const refusedPerSecond = 1_000;
const silent = new URL('no-log.js', import.meta.url).href;

/**
 * Measures what recording refusals costs: two gateways in turn, one of which records none. The source is watched, so
 * that the maximum of samples is kept.
 */
export async function measureRefusals(servers: Servers, { load, profiles }: Options): Promise<BenchReport> {
  progress('refusals: calls of the log');
  const calls = await measureCalls();
  const sender = await createSender(servers, true);
  const recording = targetOf(await startBenchGateway(servers, profiles), sender);
  const other = targetOf(await startBenchGateway(servers, undefined, { name: 'silent', preload: [silent] }), sender);
  progress('refusals: accepted requests, with and without the log');
  const shape = { items: 1, connections };
  const accepted = await compare('accepted requests; floor: without the log', [recording, other], shape, load);
  progress(`refusals: ${refusedPerSecond} bad requests a second`);
  const refused = await compareRefused([recording, other], load);
  return {
    figures: [...calls, ...accepted.figures, ...refused.figures],
    failures: [...accepted.failures, ...refused.failures],
  };
}

const targetOf = ({ url, process: { pid } }: BenchGateway, { path, headers }: BenchSource): Target => ({
  pid,
  headers,
  url: `${url}${path}/track`,
});

async function compareRefused(
  [recording, other]: readonly [Target, Target],
  { rounds, roundSeconds }: BenchLoad,
): Promise<BenchReport> {
  const group = `${refusedPerSecond} bad requests a second; floor: without the log`;
  const sample = ({ pid, ...target }: Target): Promise<Sample> =>
    measure(
      { ...target, items: 1, connections, messages: 'broken', perSecond: refusedPerSecond, seconds: roundSeconds },
      pid,
    );
  const pairs: { sluice: Sample; floor: Sample }[] = [];
  for (let round = 0; round < rounds; round++) {
    pairs.push({ floor: await sample(other), sluice: await sample(recording) });
  }
  const percent = ({ cpuSeconds, seconds }: Sample): number => (100 * cpuSeconds) / seconds;
  const cores = pairs.map(({ sluice, floor }) => ({ sluice: percent(sluice), floor: percent(floor) }));
  const refused = median(pairs.map(({ sluice }) => sluice.refused / sluice.seconds));
  const notRefused = pairs.flatMap(({ sluice, floor }) => [sluice, floor]).filter(isOtherwiseAnswered).length;
  return {
    figures: [
      { group, measure: 'answered 4xx', unit: 'requests/s', sluice: refused },
      sideBySide({ group, measure: 'of a core', unit: '%' }, cores),
      {
        group,
        measure: 'the log alone, of a core',
        unit: 'percentage points',
        sluice: median(cores.map(({ sluice, floor }) => sluice - floor)),
      },
    ],
    failures: notRefused > 0 ? [`${group}: ${notRefused} rounds had answers other than 4xx`] : [],
  };
}

const isOtherwiseAnswered = ({ acknowledged, failed, refused }: Sample): boolean =>
  acknowledged > 0 || failed > refused;
