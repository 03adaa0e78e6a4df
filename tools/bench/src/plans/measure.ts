import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { CompactedTopicWriter, createKafka } from '@sluice/kafka';
import { ensurePlansTopic, parsePlan, plansTopic, activationRecord, planRecord } from '@sluice/plans';
import { startBenchGateway } from '../apps.js';
import { kafkaConfig } from '../kafka-config.js';
import { type LoadOrder, sendLoad } from '../load.js';
import { type BenchLoad, type BenchOptions } from '../options.js';
import { progress } from '../progress.js';
import { type BenchReport, type BenchFigure } from '../report.js';
import { compareShapes, sourceConnections, type LoadTarget } from '../rounds.js';
import { type BenchServers } from '../servers.js';
import { type BenchSource, createSender } from '../source.js';
import { median } from '../statistics.js';
import { benchPlan } from './planned-message.js';

const batchSize = 100;
/** Requests a second while the delay of the loop is measured: about half of what a gateway takes. */
const steadyPerSecond = 40;
/** The measurement of the heap takes minutes; PLAN_ACTIVATIONS=300 shows that it works. */
const activations = Number(process.env['PLAN_ACTIVATIONS'] ?? 10_000);
const maxHeapGrowthMiB = 5;

interface Delays {
  p50: number;
  p99: number;
  max: number;
}

/**
 * Measures what a plan of 200 events with 20 properties costs: one gateway, and two sources that send the same messages,
 * one with the plan and one without.
 */
export async function measurePlans(servers: BenchServers, { load, profiles }: BenchOptions): Promise<BenchReport> {
  const [planned, free] = [await createSender(servers), await createSender(servers)];
  const plans = await PlanActivator.start(servers, planned);
  await plans.activate();
  const file = join(servers.folder, 'loop-delay.json');
  const preload = [`${new URL('loop-delay.js', import.meta.url).href}?file=${encodeURIComponent(file)}`];
  const { process: gateway, url } = await startBenchGateway(servers, profiles, { preload });
  const targetAt = ({ path, headers }: BenchSource, endpoint: string): LoadTarget => ({
    pid: gateway.pid,
    headers,
    url: `${url}${path}/${endpoint}`,
    messages: 'planned',
  });
  const { figures, failures } = await compareShapes(
    'with a plan of 200 × 20; floor: without',
    ({ endpoint }) => [targetAt(planned, endpoint), targetAt(free, endpoint)],
    load,
  );
  const delays = await measureDelays({ ...targetAt(planned, 'trackBatch'), plans, file }, load);
  const heap = await measureHeap();
  return {
    figures: [...figures, ...delays, ...heap.figures],
    failures: [...failures, ...heap.failures],
  };
}

interface Delayed extends LoadTarget {
  readonly plans: PlanActivator;
  readonly file: string;
}

/** Delays of the loop under a steady load: without a change, and while a new version is activated once a second. */
async function measureDelays(
  { plans, file, ...target }: Delayed,
  { rounds, roundSeconds }: BenchLoad,
): Promise<BenchFigure[]> {
  const order: LoadOrder = {
    ...target,
    items: batchSize,
    connections: sourceConnections,
    perSecond: steadyPerSecond,
    seconds: roundSeconds,
  };
  const read = async (): Promise<Delays> => {
    rmSync(file, { force: true });
    process.kill(target.pid, 'SIGUSR2');
    for (;;) {
      await sleep(20);
      try {
        return JSON.parse(readFileSync(file, 'utf8')) as Delays;
      } catch {
        // It is not written yet.
      }
    }
  };
  const [still, changing]: [Delays[], Delays[]] = [[], []];
  for (let round = 1; round <= rounds; round++) {
    progress(`  delay of the loop, round ${round} of ${rounds}`);
    await read();
    await sendLoad(order);
    still.push(await read());
    const change = setInterval(() => void plans.activate(), 1_000);
    await sendLoad(order).finally(() => clearInterval(change));
    changing.push(await read());
  }
  const group = `delay of the loop, ${steadyPerSecond} batches a second; floor: while no plan changes`;
  return (['p50', 'p99', 'max'] as const).map((measure) => ({
    group,
    measure: `${measure} while a new version is activated each second`,
    unit: 'ms',
    sluice: median(changing.map((sample) => sample[measure])),
    floor: median(still.map((sample) => sample[measure])),
  }));
}

/** Heap of a process before and after it has activated plans, and judged with each. */
async function measureHeap(): Promise<BenchReport> {
  progress(`${activations} activations`);
  const program = fileURLToPath(new URL('heap-process.js', import.meta.url));
  const child = fork(program, [String(activations)], { execArgv: ['--expose-gc'] });
  const [{ before, after }] = (await once(child, 'message')) as [{ before: number; after: number }];
  const group = `heap, ${activations} activations of a plan of 200 × 20`;
  const growth = after - before;
  return {
    figures: [{ group, measure: 'growth', unit: 'MiB', sluice: growth }],
    failures: Math.abs(growth) > maxHeapGrowthMiB ? [`${group}: it grew by ${growth} MiB`] : [],
  };
}

/** Activates new versions of the plan of a source. */
class PlanActivator {
  private version = 0;

  private constructor(
    private readonly writer: CompactedTopicWriter,
    private readonly source: string,
  ) {}

  static async start({ brokers }: BenchServers, { sourceIdentifier }: BenchSource): Promise<PlanActivator> {
    const config = kafkaConfig(brokers);
    const kafka = createKafka(config, 'bench');
    await ensurePlansTopic(kafka, config);
    return new PlanActivator(new CompactedTopicWriter(kafka, plansTopic), sourceIdentifier);
  }

  async activate(): Promise<void> {
    const { source } = this;
    const version = ++this.version;
    await this.writer.write([
      planRecord(source, parsePlan(benchPlan(source, version))),
      activationRecord(source, { versions: [version], mode: 'observe', activatedAt: new Date().toISOString() }),
    ]);
  }
}
