import { randomUUID } from 'node:crypto';
import { type Answering } from './stub.js';
import { type BenchSource } from '../source.js';

/** An event in the form of a published SDK: Segment names the person `userId`, PostHog `distinct_id`. */
interface Foreign {
  readonly event: string;
  readonly properties: object;
  readonly timestamp?: string;
  readonly userId?: string;
  readonly distinct_id?: string;
}

const batchOf = (text: string): { list: unknown[] } => {
  const { batch = [] } = JSON.parse(text) as { batch?: Foreign[] };
  return {
    list: batch.map(({ event, properties, timestamp, userId, distinct_id }) => ({
      userId: userId ?? distinct_id,
      event,
      properties,
      timestamp,
    })),
  };
};

/** Passes requests of our SDK on to a gateway, and batches of published SDKs in the form of ours. */
export function translator(gatewayUrl: string, { path, headers }: BenchSource): Answering {
  return async (request, text) => {
    const isOurs = request.url?.startsWith(path) ?? false;
    const key = request.headers['idempotency-key'];
    const answer = await fetch(`${gatewayUrl}${path}/trackBatch`, {
      method: 'POST',
      headers: {
        ...headers,
        Prefer: 'handling=lenient',
        'Idempotency-Key': isOurs && typeof key === 'string' ? key : randomUUID(),
      },
      body: isOurs ? text : JSON.stringify(batchOf(text)),
    });
    const body = await answer.text();
    if (!answer.ok || body.includes('"rejected"')) throw new Error(`the gateway answered ${answer.status}: ${body}`);
    return body;
  };
}
