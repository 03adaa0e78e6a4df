import { createRequire } from 'node:module';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type RequestQueueClass, requestQueueWith } from './request-queue.js';

/** The part of kafkajs' queue that a connection uses. */
interface Queue {
  readonly pending: readonly unknown[];
  scheduleCheckPendingRequests(): void;
  push(request: object): void;
  fulfillRequest(answer: { correlationId: number; payload: Buffer; size: number }): void;
  maybeThrottle(ms: number): void;
  rejectAll(error: Error): void;
  waitForPendingRequests(): Promise<void>;
  destroy(): void;
}

// kafkajs' own queue, as it is without ours.
const require = createRequire(import.meta.url);
const Original = require('kafkajs/src/network/requestQueue') as RequestQueueClass<Queue>;
const Ours = requestQueueWith(Original) as RequestQueueClass<Queue>;

const logger = { debug: () => undefined, warn: () => undefined };
const makeQueue = (Class: RequestQueueClass<Queue>, maxInFlightRequests: number | null): Queue =>
  new (Class as new (options: object) => Queue)({
    maxInFlightRequests,
    requestTimeout: 1_000,
    enforceRequestTimeout: false,
    clientId: 'test',
    broker: 'test',
    logger,
  });

/** A queue with a log of what it did, in order. */
function watched(Class: RequestQueueClass<Queue>, maxInFlightRequests: number | null) {
  const queue = makeQueue(Class, maxInFlightRequests);
  const log: string[] = [];
  const push = (correlationId: number, expectResponse = true): void =>
    queue.push({
      entry: {
        correlationId,
        resolve: () => log.push(`answered ${correlationId}`),
        reject: () => log.push(`rejected ${correlationId}`),
      },
      expectResponse,
      sendRequest: () => log.push(`sent ${correlationId}`),
    });
  const answer = (correlationId: number): void =>
    queue.fulfillRequest({ correlationId, payload: Buffer.alloc(0), size: 0 });
  return { queue, log, push, answer };
}

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

type Event =
  | { readonly do: 'push'; readonly expectResponse: boolean }
  | { readonly do: 'answer'; readonly which: number }
  | { readonly do: 'throttle'; readonly ms: number }
  | { readonly do: 'wait'; readonly ms: number }
  | { readonly do: 'rejectAll' };

const event: fc.Arbitrary<Event> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ do: fc.constant('push' as const), expectResponse: fc.boolean() }) },
  { weight: 5, arbitrary: fc.record({ do: fc.constant('answer' as const), which: fc.nat() }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('throttle' as const), ms: fc.nat(50) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('wait' as const), ms: fc.nat(100) }) },
  { weight: 1, arbitrary: fc.constant({ do: 'rejectAll' as const }) },
);

/** Plays the events on a queue until all that can be sent is sent; returns the log of its requests. */
function play(Class: RequestQueueClass<Queue>, most: number | null, events: readonly Event[]): string[] {
  vi.setSystemTime(0);
  const { queue, log, push, answer } = watched(Class, most);
  let next = 0;
  for (const event of events) {
    if (event.do === 'push') push(next++, event.expectResponse);
    else if (event.do === 'answer' && next > 0) answer(event.which % next);
    else if (event.do === 'throttle') queue.maybeThrottle(event.ms);
    else if (event.do === 'wait') vi.advanceTimersByTime(event.ms);
    else if (event.do === 'rejectAll') queue.rejectAll(new Error('gone'));
  }
  vi.advanceTimersByTime(200);
  queue.destroy();
  return log;
}

describe('RequestQueue', () => {
  it('sends, answers and rejects the same requests in the same order as kafkajs', () =>
    fc.assert(
      fc.property(fc.constantFrom(null, 1, 3), fc.array(event, { maxLength: 60 }), (most, events) => {
        expect(play(Ours, most, events)).toEqual(play(Original, most, events));
      }),
      { numRuns: 300 },
    ));

  it('has no timer while no request is pending, unlike kafkajs, which polls', () => {
    const timersAfterAnAnswer = (Class: RequestQueueClass<Queue>): number => {
      const { queue, push, answer } = watched(Class, 1);
      push(1);
      answer(1);
      const timers = vi.getTimerCount();
      queue.destroy();
      return timers;
    };
    expect(timersAfterAnAnswer(Original)).toBe(1);
    expect(timersAfterAnAnswer(Ours)).toBe(0);
  });

  it('sends a request that waits for an answer when the answer comes', () => {
    const { log, push, answer } = watched(Ours, 1);
    for (const id of [1, 2]) push(id);
    expect(log).toEqual(['sent 1']);
    answer(1);
    expect(log).toContain('sent 2');
  });

  it('sends a throttled request when the throttling ends', () => {
    const { queue, log, push } = watched(Ours, null);
    queue.maybeThrottle(500);
    push(1);
    vi.advanceTimersByTime(499);
    expect(log).toEqual([]);
    vi.advanceTimersByTime(20);
    expect(log).toEqual(['sent 1']);
    queue.destroy();
  });

  it('resolves its wait when the last request is answered', async () => {
    const { queue, push, answer } = watched(Ours, 1);
    for (const id of [1, 2]) push(id);
    const empty = queue.waitForPendingRequests();
    answer(1);
    answer(2);
    await expect(empty).resolves.toBeUndefined();
  });
});
