import { setTimeout as sleep } from 'node:timers/promises';
import { type FaultClass } from '../thousand/fault-class.js';

/** Faults of the connections between the tracking service and ClickHouse. */
const aboutConnections = { scope: 'tracking', takes: ['tracking proxy'] } as const;
/** Exceeds the sender's deadline (clickhouseRequestTimeoutMs of libs/clickhouse). */
const beyondDeadlineMs = 125_000;

export const connectionClasses: readonly FaultClass[] = [
  {
    ...aboutConnections,
    name: 'connections reset',
    weight: 16,
    inject: async ({ trackingProxy }, random) => {
      await sleep(random.between(0, 300));
      trackingProxy.reset();
    },
  },
  {
    ...aboutConnections,
    name: 'answers swallowed',
    weight: 14,
    inject: async ({ trackingProxy }, random) => {
      trackingProxy.swallowsAnswers = true;
      await sleep(random.between(50, 900));
      trackingProxy.swallowsAnswers = false;
    },
  },
  {
    ...aboutConnections,
    name: 'answers late',
    weight: 8,
    inject: async ({ trackingProxy }, random) => {
      trackingProxy.insertDelayMs = random.between(200, 3_000);
      await sleep(random.between(500, 2_500));
      trackingProxy.insertDelayMs = 0;
    },
  },
  {
    ...aboutConnections,
    name: 'answers withheld forever',
    weight: 4,
    inject: async ({ trackingProxy }, random) => {
      // Only the reset below, or the sender's own deadline, ends the request.
      trackingProxy.holdOne(beyondDeadlineMs);
      await sleep(random.between(500, 3_000));
      trackingProxy.reset();
    },
  },
  {
    ...aboutConnections,
    takes: [],
    name: 'an answer later than the deadline',
    weight: 0.2,
    maxCount: 1,
    inject: async ({ trackingProxy }) => {
      trackingProxy.holdOne(beyondDeadlineMs);
      await sleep(1_000);
    },
  },
  {
    ...aboutConnections,
    name: 'ClickHouse read-only',
    weight: 6,
    inject: async ({ trackingProxy }, random) => {
      trackingProxy.isReadOnly = true;
      await sleep(random.between(300, 2_000));
      trackingProxy.isReadOnly = false;
    },
  },
  {
    scope: 'events',
    takes: ['table'],
    name: 'INSERTs into one table hang',
    weight: 3,
    inject: async ({ trackingProxy }, random) => {
      trackingProxy.hang('events');
      await sleep(random.between(500, 3_000));
      trackingProxy.release();
    },
  },
];
