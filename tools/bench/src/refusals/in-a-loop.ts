import { type Figure } from '../report.js';
import { brokenMessage } from '../samples.js';
import { median } from '../statistics.js';

const calls = 1_000_000;
const rounds = 5;
const sourceIdentifier = 'BenchSource1';

/** The parts of the gateway's log of refusals that the bench calls. */
interface Log {
  start(): Promise<void>;
  stop(): Promise<void>;
  partly(taken: object): void;
  refused(request: object, error: object, reason: string): void;
}
type LogClass = new (sender: object, sources: object, suppressed: object, rules: object) => Log;

// The bench never imports apps. The path is right from both src and dist, which are equally deep.
const file = new URL('../../../../apps/gateway/dist/refused/refused-log.js', import.meta.url);

/** Measures the calls themselves, without Kafka: for a request that is accepted whole, and for one that is refused. */
export async function measureCalls(): Promise<Figure[]> {
  const { RefusedLog } = (await import(file.href)) as { RefusedLog: LogClass };
  const nothing = (): Promise<void> => Promise.resolve();
  const registry = { find: () => ({ sourceIdentifier }), watchedUntil: () => Infinity };
  const log = new RefusedLog(
    { start: nothing, stop: nothing, send: nothing },
    { registry },
    { areNamedIn: () => false },
    { of: () => undefined },
  );
  await log.start();
  const requestId = '019aaf00-1c2d-7e3f-8a4b-5c6d7e8f9a0b';
  const taken = { requestId, sourceIdentifier, topic: 'tracking.track.v1', dropped: [], rejected: [] };
  const request = {
    id: requestId,
    method: 'POST',
    query: {},
    params: { sourceIdentifier },
    headers: { 'user-agent': 'bench' },
    routeOptions: { url: '/track', config: {} },
    body: Buffer.from(JSON.stringify(brokenMessage(1))),
  };
  const error = { status: 400, problems: [{ field: 'event', message: 'must be a text' }] };
  const group = 'calls of the log, in a loop';
  const figures = [
    await figure(group, 'an accepted request', () => log.partly(taken)),
    await figure(group, 'a refused request', () => log.refused(request, error, 'invalid_fields')),
  ];
  await log.stop();
  return figures;
}

async function figure(group: string, measure: string, call: () => void): Promise<Figure> {
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const startedAt = performance.now();
    for (let n = 0; n < calls; n++) call();
    times.push(((performance.now() - startedAt) * 1_000_000) / calls);
    // Lets the log send what it has.
    await new Promise((resolve) => setTimeout(resolve, 300));
  }
  return { group, measure, unit: 'ns', sluice: median(times) };
}
