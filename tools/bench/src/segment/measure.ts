import { startBenchGateway } from '../apps.js';
import { type Options } from '../options.js';
import { type BenchReport, together } from '../report.js';
import { compareShapes, type Shape, type Target } from '../rounds.js';
import { type Servers } from '../servers.js';
import { createSegmentSender } from '../source.js';

/** Floors by what a native request does about retries: nothing, or the same as each call of Segment. */
const floors = {
  'the native endpoint': {},
  'the native endpoint with an Idempotency-Key, so that a retry is stored once too': { 'idempotency-key': 'bench' },
};

/** Measures what calls of Segment cost next to native ones: one gateway, one source, the same messages, in turn. */
export async function measureSegment(servers: Servers, { load, profiles }: Options): Promise<BenchReport> {
  const { native, segment } = await createSegmentSender(servers);
  const { process: gateway, url } = await startBenchGateway(servers, profiles);
  const { pid } = gateway;
  const reports: BenchReport[] = [];
  for (const [floor, headers] of Object.entries(floors)) {
    const targetsOf = ({ endpoint, items }: Shape): readonly [Target, Target] => [
      {
        pid,
        url: `${url}${segment.path}/${items === 1 ? 'track' : 'batch'}`,
        headers: segment.headers,
        messages: 'segment',
      },
      {
        pid,
        url: `${url}${native.path}/${endpoint}`,
        headers: { ...native.headers, ...headers },
        messages: 'as segment',
      },
    ];
    reports.push(await compareShapes(`of a client of Segment; floor: ${floor}`, targetsOf, load));
  }
  return together(reports);
}
