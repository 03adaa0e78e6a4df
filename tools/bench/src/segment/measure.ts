import { startBenchGateway } from '../apps.js';
import { type Options } from '../options.js';
import { type BenchReport } from '../report.js';
import { compareShapes } from '../rounds.js';
import { type Servers } from '../servers.js';
import { createSegmentSender } from '../source.js';

/** Measures what calls of Segment cost next to native ones: one gateway, one source, the same messages, in turn. */
export async function measureSegment(servers: Servers, { load, profiles }: Options): Promise<BenchReport> {
  const { native, segment } = await createSegmentSender(servers);
  const { process: gateway, url } = await startBenchGateway(servers, profiles);
  const { pid } = gateway;
  return compareShapes(
    'of a client of Segment; floor: the native endpoint',
    ({ endpoint, items }) => [
      {
        pid,
        url: `${url}${segment.path}/${items === 1 ? 'track' : 'batch'}`,
        headers: segment.headers,
        messages: 'segment',
      },
      { pid, url: `${url}${native.path}/${endpoint}`, headers: native.headers, messages: 'as segment' },
    ],
    load,
  );
}
