import autocannon from 'autocannon';
import { type LoadOrder, type LoadResult, type Messages } from './load.js';
import { plannedMessage } from './plans/planned-message.js';
import { batchOf, brokenMessage, trackMessage } from './samples.js';
import { batchOfClient, messageOfClient, segmentBatch, segmentCall } from './segment/segment-call.js';
import { quantile } from './statistics.js';
import { userAgentOf } from './user-agents/agents.js';

// Bodies that one connection sends in turn. Connections have different bodies, so keys spread over all partitions.
const singlesPerConnection = 200;
const batchesPerConnection = 4;

process.on('disconnect', () => process.exit());
process.once('message', (order: LoadOrder) => {
  void run(order).then((result) => process.send?.(result));
});

async function run(order: LoadOrder): Promise<LoadResult> {
  const { url, headers, connections, seconds, perSecond } = order;
  // autocannon's own histogram rounds to whole milliseconds.
  const latencies: number[] = [];
  let connection = 0;
  const instance = autocannon({
    url,
    method: 'POST',
    headers,
    connections,
    duration: seconds,
    ...(perSecond !== undefined && { overallRate: perSecond }),
    setupClient: (client) => {
      client.setRequests(requestsOf(connection++, order));
      client.on('response', (_status, _bytes, milliseconds) => latencies.push(milliseconds));
    },
  });
  const result = await instance;
  return {
    acknowledged: result['2xx'],
    failed: result.non2xx + result.errors,
    refused: result['4xx'],
    seconds: result.duration,
    p50Ms: quantile(latencies, 0.5),
    p99Ms: quantile(latencies, 0.99),
  };
}

function requestsOf(connection: number, order: LoadOrder): autocannon.Request[] {
  const { headers, items, messages = 'shop', hasUserAgents = false } = order;
  const count = items === 1 ? singlesPerConnection : batchesPerConnection;
  const { one, batch } = makers[messages];
  return Array.from({ length: count }, (_, i) => {
    const n = connection * count + i;
    const body = JSON.stringify(items === 1 ? one(n) : batch(n, items));
    return hasUserAgents ? { body, headers: { ...headers, 'user-agent': userAgentOf(n) } } : { body };
  });
}

/** Makes the nth message, and the nth batch of `size` messages. */
interface Maker {
  one: (n: number) => object;
  batch: (n: number, size: number) => object;
}

const native = (one: (n: number) => object): Maker => ({ one, batch: batchOf(one) });

const makers: Readonly<Record<Messages, Maker>> = {
  shop: native(trackMessage),
  broken: native(brokenMessage),
  planned: native(plannedMessage),
  segment: { one: segmentCall, batch: segmentBatch },
  'as segment': { one: messageOfClient, batch: batchOfClient },
};
