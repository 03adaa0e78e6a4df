import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { type AttackCredentials } from './attack.js';

const timeoutMs = 10_000;

export interface Served {
  calls: number;
  /** Calls not answered with 200: the status or the error of each. */
  failed: string[];
  /** 99 of 100 calls took at most this time. */
  p99Ms: number;
  slowestMs: number;
}

interface Client extends AttackCredentials {
  url: string;
}

interface Call {
  endpoint: string;
  everyMs: number;
  body: string | Buffer;
  headers?: Record<string, string>;
  /** True when each call has a new connection. */
  isFresh?: boolean;
}

const event = {
  userId: 'user-1',
  event: 'product_viewed',
  properties: { productId: 'p-1', name: 'Something nice', price: 49.9, categories: ['a', 'b'] },
  context: { page: { url: 'https://shop.example.com/', title: 'Shop' }, locale: 'de-DE' },
};
const item = (i: number) => ({ userId: `user-${i}`, event: 'e', properties: { text: 'x'.repeat(850), i } });
const batch = JSON.stringify({ list: Array.from({ length: 100 }, (_, i) => item(i)) });

/** Each second: 50 events, 10 of them on new connections, and two batches of 90 KB, one of them compressed. */
const calls: readonly Call[] = [
  { endpoint: 'track', everyMs: 25, body: JSON.stringify(event) },
  { endpoint: 'track', everyMs: 100, body: JSON.stringify(event), isFresh: true },
  { endpoint: 'trackBatch', everyMs: 1_000, body: batch },
  { endpoint: 'trackBatch', everyMs: 1_000, body: gzipSync(batch), headers: { 'content-encoding': 'gzip' } },
];

/** Acts as an ordinary client, which sends at its own pace, however long the answers take. */
export async function beOrdinary(client: Client, seconds: number): Promise<Served> {
  const agent = new Agent({ keepAlive: true });
  const times: number[] = [];
  const failed: string[] = [];
  const pending = new Set<Promise<void>>();
  const send = async (call: Call): Promise<void> => {
    const startedAt = performance.now();
    const answer = await post(client, call, agent);
    times.push(performance.now() - startedAt);
    if (answer !== '200') failed.push(answer);
  };
  const timers = calls.map((call) =>
    setInterval(() => {
      const sent = send(call).finally(() => pending.delete(sent));
      pending.add(sent);
    }, call.everyMs),
  );
  await sleep(seconds * 1_000);
  for (const timer of timers) clearInterval(timer);
  await Promise.all(pending);
  agent.destroy();
  times.sort((a, b) => a - b);
  const p99Ms = times[Math.floor(times.length * 0.99)] ?? 0;
  return { calls: times.length, failed, p99Ms, slowestMs: times.at(-1) ?? 0 };
}

const post = ({ url, sourceIdentifier, apiKey }: Client, { endpoint, body, headers, isFresh }: Call, agent: Agent) =>
  new Promise<string>((resolve) => {
    const sent = request(
      `${url}/api/tracker/sdk/${sourceIdentifier}/${endpoint}`,
      {
        method: 'POST',
        agent: isFresh ? false : agent,
        timeout: timeoutMs,
        headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json', ...headers },
      },
      (answer) => {
        answer.resume().on('end', () => resolve(String(answer.statusCode)));
        answer.on('error', ({ message }) => resolve(message));
      },
    );
    sent.on('timeout', () => sent.destroy(new Error('no answer')));
    sent.on('error', ({ message }) => resolve(message));
    sent.end(body);
  });
