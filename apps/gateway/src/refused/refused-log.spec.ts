import { header } from '@sluice/contracts';
import { type OutgoingMessage } from '@sluice/kafka';
import { type SourceReader } from '@sluice/sources';
import fc from 'fast-check';
import { type FastifyRequest } from 'fastify';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { type ApiError } from '../errors/api-error.js';
import { RefusedLog } from './refused-log.js';
import { countedEveryMs } from './timed-counts.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** The end of a send: `deaf` when Kafka has the messages and its acknowledgement is lost. */
interface SendEnd {
  ms: number;
  end: 'acknowledged' | 'failed' | 'deaf';
}

interface Step {
  /** Time before the requests. */
  ms: number;
  accepted: number;
  refused: number;
  /** Ends of the sends from now on. */
  sends: SendEnd;
}

interface Row {
  kind: string;
  counted: string;
  source_id: string;
  claimed_source: string;
  origin: string;
  requests: number;
  received_at: string;
  message_id: string;
}

/** A Kafka with random delays and failures; keeps one copy of each message, as `refused_requests` does. */
class Topic {
  sends: SendEnd = { ms: 0, end: 'acknowledged' };
  readonly rows = new Map<string, Row>();
  /** Messages that came again without a mark. */
  unmarked = 0;

  start = (): Promise<void> => Promise.resolve();
  stop = (): Promise<void> => Promise.resolve();

  send = async (messages: readonly OutgoingMessage[]): Promise<void> => {
    const { ms, end } = this.sends;
    await new Promise((resolve) => setTimeout(resolve, ms));
    for (const { value, headers } of end === 'failed' ? [] : messages) {
      const row = JSON.parse(String(value)) as Row;
      if (this.rows.has(row.message_id) && headers[header.possibleRepeat] === undefined) this.unmarked += 1;
      this.rows.set(row.message_id, row);
    }
    if (end !== 'acknowledged') throw new Error('no acknowledgement');
  };

  /** Counts by kind, source and five seconds. */
  counts(): Record<string, number> {
    const sums = new Sums();
    for (const { kind, counted, source_id: source, requests, received_at: at } of this.rows.values())
      if (kind === 'count' && counted !== 'key' && requests > 0) sums.add(counted, source, requests, Date.parse(at));
    return sums.values;
  }
}

class Sums {
  readonly values: Record<string, number> = {};

  add(kind: string, source: string, count: number, time = Date.now()): void {
    const name = `${kind} ${source} ${Math.floor(time / countedEveryMs)}`;
    this.values[name] = (this.values[name] ?? 0) + count;
  }
}

const sources = {
  registry: { watchedUntil: () => 0, takeUsedKeys: () => [], find: () => undefined },
} as unknown as SourceReader;
const aLog = (topic: Topic): RefusedLog =>
  new RefusedLog(topic, sources, { isAnyoneNamedIn: () => false }, { of: () => undefined });

function refuse(log: RefusedLog, source: string): void {
  const of = { url: '/x', headers: {}, query: {}, params: {}, raw: { source }, routeOptions: { url: '/x' } };
  const request = { id: '', method: 'POST', ...of };
  log.refused(request as unknown as FastifyRequest, { status: 401, problems: [] } as unknown as ApiError, 'error');
}

const aSend = fc.record({
  ms: fc.oneof(fc.integer({ min: 0, max: 300 }), fc.integer({ min: 0, max: 2_000 })),
  end: fc.constantFrom('acknowledged' as const, 'acknowledged' as const, 'failed' as const, 'deaf' as const),
});
const aStep = fc.record<Step>({
  ms: fc.oneof(fc.integer({ min: 0, max: 700 }), fc.integer({ min: 0, max: 90_000 })),
  accepted: fc.integer({ min: 0, max: 3 }),
  refused: fc.integer({ min: 0, max: 3 }),
  sends: aSend,
});

it('what is reported is what was counted, at its time, however sends end and however long they take', async () => {
  const steps = fc.array(aStep, { minLength: 20, maxLength: 120 });
  await fc.assert(
    fc.asyncProperty(steps, fc.integer({ min: 0, max: 5 }), async (day, startsAfter) => {
      const [topic, counted] = [new Topic(), new Sums()];
      const log = aLog(topic);
      for (const [index, { ms, accepted, refused, sends }] of day.entries()) {
        // Requests before the first connection to Kafka count too.
        if (index === startsAfter) await log.start();
        await vi.advanceTimersByTimeAsync(ms);
        topic.sends = sends;
        const source = `source ${index % 7}`;
        for (let n = 0; n < refused; n++) refuse(log, source);
        if (accepted > 0) log.accepted(source, accepted);
        counted.add('refused', source, refused);
        counted.add('accepted', source, accepted);
      }
      topic.sends = { ms: 10, end: 'acknowledged' };
      const stopped = log.stop();
      await vi.advanceTimersByTimeAsync(5_000);
      await stopped;
      expect(topic.counts()).toEqual(Object.fromEntries(Object.entries(counted.values).filter(([, n]) => n > 0)));
      expect(topic.unmarked).toBe(0);
    }),
    // Without it, a failure shrinks for longer than the test may take, and shows as a time-out.
    { numRuns: 40, endOnFailure: true },
  );
});

it('keeps the source that a request claims apart from a proven one, and the origin that was refused', async () => {
  const topic = new Topic();
  const registry = {
    watchedUntil: () => 0,
    takeUsedKeys: () => [],
    find: (id: string) => (id === 'AbCdEf123456' ? {} : undefined),
  };
  const log = new RefusedLog(
    topic,
    { registry } as unknown as SourceReader,
    { isAnyoneNamedIn: () => false },
    { of: () => undefined },
  );
  await log.start();
  const refuseAt = (source: string, proven: string | undefined, reason: string): void => {
    const raw = proven === undefined ? {} : { source: proven };
    const shape = { headers: { origin: 'https://shop.example/x' }, query: {}, raw, routeOptions: { url: '/x' } };
    const request = { id: '', method: 'POST', url: `/api/tracker/sdk/${source}/track`, ...shape };
    log.refused(request as unknown as FastifyRequest, { status: 401, problems: [] } as unknown as ApiError, reason);
  };
  refuseAt('AbCdEf123456', undefined, 'error.sdk.authorization.failed');
  refuseAt('ZZZZZZ123456', undefined, 'error.sdk.source.notFound');
  refuseAt('AbCdEf123456', 'AbCdEf123456', 'error.sdk.origin.forbidden');
  await vi.advanceTimersByTimeAsync(7_000);
  const rows = [...topic.rows.values()];
  const samples = rows.filter(({ kind }) => kind === 'refused');
  expect(samples.map((row) => [row.source_id, row.claimed_source, row.origin])).toEqual([
    ['', 'AbCdEf123456', ''],
    ['', '', ''],
    ['AbCdEf123456', '', 'https://shop.example'],
  ]);
  expect(rows.filter(({ kind, claimed_source: claimed }) => kind === 'count' && claimed !== '')).toEqual([]);
  const stopped = log.stop();
  await vi.advanceTimersByTimeAsync(5_000);
  await stopped;
});

it('a stop while Kafka is unreachable ends in time', async () => {
  const topic = new Topic();
  const log = aLog(topic);
  await log.start();
  topic.sends = { ms: 0, end: 'failed' };
  log.accepted('shop', 1);
  let isStopped = false;
  void log.stop(1_000).then(() => (isStopped = true));
  await vi.advanceTimersByTimeAsync(1_100);
  expect(isStopped).toBe(true);
});
