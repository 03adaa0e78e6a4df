import autocannon from 'autocannon';
import { type LoadOrder, type LoadResult, type Messages } from './load.js';
import { plannedMessage } from './plans/planned-message.js';
import { makeBatches, trackMessage } from './samples.js';
import { quantile } from './statistics.js';

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
      client.setRequests(makeRequests(connection++, order));
      client.on('response', (_status, _bytes, milliseconds) => latencies.push(milliseconds));
    },
  });
  const result = await instance;
  return {
    acknowledged: result['2xx'],
    failed: result.non2xx + result.errors,
    seconds: result.duration,
    p50Ms: quantile(latencies, 0.5),
    p99Ms: quantile(latencies, 0.99),
  };
}

function makeRequests(connection: number, order: LoadOrder): autocannon.Request[] {
  const { items, messages = 'shop' } = order;
  const count = items === 1 ? singlesPerConnection : batchesPerConnection;
  const { single, batch } = makers[messages];
  return Array.from({ length: count }, (_, i) => {
    const n = connection * count + i;
    return { body: JSON.stringify(items === 1 ? single(n) : batch(n, items)) };
  });
}

/** Makes the nth message, and the nth batch of `size` messages. */
interface Maker {
  single: (n: number) => object;
  batch: (n: number, size: number) => object;
}

const native = (message: (n: number) => object): Maker => ({ single: message, batch: makeBatches(message) });

const makers: Readonly<Record<Messages, Maker>> = {
  shop: native(trackMessage),
  planned: native(plannedMessage),
};
