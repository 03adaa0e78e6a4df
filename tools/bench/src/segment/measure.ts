import { startBenchGateway } from '../apps.js';
import { type Options } from '../options.js';
import { progress } from '../progress.js';
import { type BenchReport } from '../report.js';
import { compare, type Target } from '../rounds.js';
import { type Servers } from '../servers.js';
import { createSegmentSender } from '../source.js';

const connections = 32;
const batchSize = 100;

/** Measures what calls of Segment cost next to native ones: one gateway, one source, the same messages, in turn. */
export async function measureSegment(servers: Servers, { load, profiles }: Options): Promise<BenchReport> {
  const { native, segment } = await createSegmentSender(servers);
  const { process: gateway, url } = await startBenchGateway(servers, profiles);
  const { pid } = gateway;
  const reports: BenchReport[] = [];
  for (const [items, path, floorPath] of [
    [1, 'track', 'track'],
    [batchSize, 'batch', 'trackBatch'],
  ] as const) {
    const group = `${items === 1 ? 'track' : `track of ${items}`} of a client of Segment; floor: the native endpoint`;
    progress(group);
    const targets: [Target, Target] = [
      { pid, url: `${url}${segment.path}/${path}`, headers: segment.headers, messages: 'segment' },
      { pid, url: `${url}${native.path}/${floorPath}`, headers: native.headers, messages: 'as segment' },
    ];
    reports.push(await compare(group, targets, { items, connections }, load));
  }
  return {
    figures: reports.flatMap(({ figures }) => figures),
    failures: reports.flatMap(({ failures }) => failures),
  };
}
