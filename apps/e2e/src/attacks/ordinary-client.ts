import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Target } from './attack.js';

const patienceMs = 10_000;
const pauseMs = 50;

export interface Served {
  calls: number;
  /** Calls not answered with 200: the status or the error of each. */
  failed: string[];
  slowestMs: number;
}

const event = (n: number) => ({
  userId: `user-${n}`,
  event: 'product_viewed',
  properties: { productId: `p-${n}`, name: 'Something nice', price: 49.9, categories: ['a', 'b'] },
  context: { page: { url: 'https://shop.example.com/', title: 'Shop' }, locale: 'de-DE' },
});

/** Acts as an ordinary client: sends single events and batches of 100, on kept-alive and on new connections in turn. */
export async function beOrdinary(target: Target, seconds: number): Promise<Served> {
  const agent = new Agent({ keepAlive: true });
  const served: Served = { calls: 0, failed: [], slowestMs: 0 };
  const until = performance.now() + seconds * 1_000;
  for (let n = 0; performance.now() < until; n++) {
    const isBatch = n % 4 === 3;
    const body = isBatch ? { list: Array.from({ length: 100 }, (_, i) => event(n + i)) } : event(n);
    const startedAt = performance.now();
    const answer = await post(
      target,
      isBatch ? 'trackBatch' : 'track',
      JSON.stringify(body),
      n % 2 ? agent : undefined,
    );
    served.calls += 1;
    served.slowestMs = Math.max(served.slowestMs, performance.now() - startedAt);
    if (answer !== '200') served.failed.push(answer);
    await sleep(pauseMs);
  }
  agent.destroy();
  return served;
}

const post = ({ url, sourceIdentifier, apiKey }: Target, endpoint: string, body: string, agent?: Agent) =>
  new Promise<string>((resolve) => {
    const sent = request(
      `${url}/api/tracker/sdk/${sourceIdentifier}/${endpoint}`,
      {
        method: 'POST',
        agent: agent ?? false,
        timeout: patienceMs,
        headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
      },
      (answer) => {
        answer.resume().on('end', () => {
          resolve(String(answer.statusCode));
        });
        answer.on('error', ({ message }) => {
          resolve(message);
        });
      },
    );
    sent.on('timeout', () => sent.destroy(new Error('no answer')));
    sent.on('error', ({ message }) => {
      resolve(message);
    });
    sent.end(body);
  });
