import { gzipSync } from 'node:zlib';
import { type Attack, besiege, keyed, requestLine, buildRequest, type AttackTarget } from '../attack.js';

const joinItems = (count: number, item: (i: number) => string): string =>
  Array.from({ length: count }, (_, i) => item(i)).join();
/** An event whose names take a hundred times as long to parse as ordinary text of that size. */
const costly = `{"userId":"u","event":"e","properties":{${joinItems(250, (i) => `"a.b.c.d.e.f.g${i}.h":${i}`)}}}`;
/** An event whose names no other event has; they too take a hundred times as long to parse as ordinary text. */
const eventOfNewNames = (count: number, event: number): string =>
  `{"userId":"u","event":"e","properties":{${joinItems(count, (i) => `"p${event}_${i}":1`)}}}`;
const costlyBatch = (count: number): string => `{"list":[${joinItems(count, () => costly)}]}`;
const pauseAfterRefusalMs = 20;

interface Body {
  bytes: string | Buffer;
  endpoint?: string;
  /** True when it goes to an endpoint of Segment's API. */
  isSegment?: boolean;
  /** True when it is stored; most bodies are only validated, because the disk is that of all tests. */
  isStored?: boolean;
  headers?: Record<string, string>;
  maxTimes?: number;
}

/** Limit for bodies with an undivided item or inflated text longer than a turn: docs/benchmarks.md#attacks. */
const undivided = { maxTimes: 6 };

/** The attacker's source sends the same body again and again. */
const greedy = (
  name: string,
  connections: number,
  { bytes, endpoint = 'trackBatch', headers = {}, maxTimes = 3, isSegment = false, isStored = false }: Body,
): Attack => ({
  name,
  maxTimes,
  run: (target, seconds) => {
    const path = isSegment
      ? `POST /s/${target.sourceIdentifier}_${target.apiKey}/v1/batch`
      : requestLine(target, endpoint);
    const line = isStored ? path : `${path}?validate=only`;
    const request = buildRequest(line, { ...keyed(target), ...headers }, bytes);
    return besiege(target, { seconds, connections }, (socket) => {
      socket.on('data', (answer) => {
        const isRefused = ['503', '429'].includes(answer.subarray(9, 12).toString());
        setTimeout(() => socket.write(request), isRefused ? pauseAfterRefusalMs : 0);
      });
      socket.write(request);
    });
  },
});
const gzip = { 'content-encoding': 'gzip' };

/** A batch of Segment's clients whose context belongs to each of its items: a kilobyte that could become gigabytes. */
const sharedContext = (item: string, texts: number, count: number): Body => ({
  bytes: gzipSync(
    `{"batch":[${joinItems(count, () => item)}],"context":{${joinItems(texts, (i) => `"k${i}":"${'x'.repeat(4_000)}"`)}}}`,
  ),
  headers: gzip,
  isSegment: true,
  isStored: true,
  // A request of which 3 MB are stored takes as much of Kafka as thirty ordinary batches.
  maxTimes: 10,
});
const segmentEvent = '{"type":"track","event":"e","userId":"u"}';

/** Keeps as many connections idle as the gateway takes, each after one request. */
const idle = (name: string, requestFor: (target: AttackTarget) => Buffer): Attack => ({
  name,
  run: (target, seconds) =>
    besiege(target, { seconds, connections: 10_000, pauseMs: 1_000, openMs: seconds * 500 }, (socket) => {
      socket.resume();
      socket.write(requestFor(target));
    }),
});
const refusedEvent = (target: AttackTarget, headers = {}): Buffer =>
  buildRequest(requestLine(target, 'track'), { ...keyed(target), ...headers }, '{}');

/** One source takes as much as it can get. */
export const greedySources: Attack[] = [
  greedy('a source with batches of 600 KB that take 100 ms', 16, { bytes: costlyBatch(100) }),
  greedy('a source with costly bodies just below the size of large ones', 64, { bytes: costlyBatch(10) }),
  greedy('a source with batches of one event of 60,000 names', 16, {
    bytes: `{"list":[${eventOfNewNames(60_000, 0)}]}`,
    ...undivided,
  }),
  greedy('a source with batches of one event of 8,000 names', 16, {
    bytes: `{"list":[${eventOfNewNames(8_000, 0)}]}`,
    ...undivided,
  }),
  greedy('a source with batches of 50,000 names', 16, {
    bytes: `{"list":[${joinItems(100, (i) => eventOfNewNames(500, i))}]}`,
  }),
  greedy('a source with identifies of 50,000 names, some of them refused', 16, {
    ...{ endpoint: 'identifyBatch', headers: { prefer: 'handling=lenient', 'idempotency-key': 'greedy' } },
    bytes: `{"list":[${joinItems(99, (i) => eventOfNewNames(500, i))},{}]}`.replaceAll(
      '"event":"e","properties"',
      '"traits"',
    ),
  }),
  greedy('a source with costly events', 64, { bytes: costly, endpoint: 'track' }),
  greedy('a source with costly compressed batches', 64, {
    bytes: gzipSync(costlyBatch(100)),
    headers: gzip,
    ...undivided,
  }),
  greedy('a source with compressed blanks', 200, {
    bytes: gzipSync(Buffer.alloc(819_200, ' ')),
    headers: gzip,
    ...undivided,
  }),
  greedy('a source with a context of 400 KB for 2,500 items', 16, sharedContext(segmentEvent, 100, 2_500)),
  greedy('a source with a context of 32 KB for 2,500 items', 16, sharedContext(segmentEvent, 8, 2_500)),
  greedy('a source with a context of 32 KB for 100 items', 16, sharedContext(segmentEvent, 8, 100)),
  greedy('a source with a context of 32 KB for 100 refused items', 16, sharedContext('{}', 8, 100)),
  greedy('a source with small events on many connections', 500, {
    bytes: '{"userId":"u","event":"e"}',
    endpoint: 'track',
    // Every turn of the event loop reads from some connections, and a turn's limit does not cover reading.
    ...undivided,
  }),
  idle('idle connections that have shown a public key', (target) => refusedEvent(target)),
  idle('idle connections with a public key from a foreign page', (target) =>
    refusedEvent(target, { origin: 'https://foreign.example' }),
  ),
];
