import {
  type ClientOptions,
  createCore,
  type HttpAnswer,
  type HttpRequest,
  type KeyValueStore,
  type LifecycleEvent,
  type Packed,
  type Ports,
} from '@sluice/sdk-core';
import { FakeClock } from './fake-clock.js';
import { type MemoryQueue } from './memory-queue.js';

const acceptAll = (): Promise<HttpAnswer> =>
  Promise.resolve({ status: 200, body: '{"status":"QUEUED"}', header: () => null });

interface Surroundings extends Partial<ClientOptions> {
  readonly queue?: MemoryQueue & { readonly hasTexts?: boolean };
  readonly values?: KeyValueStore;
  readonly clock?: FakeClock;
  readonly ready?: Promise<unknown>;
  readonly isSender?: boolean | undefined;
  readonly lostBefore?: () => number;
  /** Answers a request; if left out, the service accepts all requests. */
  readonly answer?: (request: HttpRequest) => Promise<HttpAnswer>;
  /** Compresses a body; if left out, the platform cannot. */
  readonly pack?: (body: string) => Promise<Packed>;
}

/** A client in a tab of its own, with what it has sent: bodies, names of the events and keys of the batches. */
export function aTab({
  queue,
  values,
  ready,
  answer = acceptAll,
  pack,
  lostBefore,
  ...otherOptions
}: Surroundings = {}) {
  const { clock = new FakeClock(Date.UTC(2026, 0)), isSender, ...options } = { isSender: true, ...otherOptions };
  const bodies: string[] = [];
  const sent: string[] = [];
  const keys: string[] = [];
  /** Numbers of messages that waited, as the platform got them. */
  const queued: number[] = [];
  /** Numbers of messages that were only in memory, as the platform got them. */
  const unsaved: number[] = [];
  let ids = 0;
  const listeners: ((event: LifecycleEvent) => void)[] = [];
  const ports: Ports = {
    sdk: { name: 'sluice-test', version: '1.2.3' },
    clock,
    random: { fraction: () => 0.5, uuid: (purpose) => `${purpose}-${++ids}` },
    ...(queue && { queue }),
    values,
    ready,
    transport: {
      ...(pack && { pack }),
      send: (request) => {
        const { body = '', headers } = request;
        const { list } = JSON.parse(body) as { list: { event: string }[] };
        bodies.push(body);
        sent.push(...list.map(({ event }) => event));
        keys.push(headers['Idempotency-Key'] ?? '');
        return { answer: answer(request), abort: () => undefined };
      },
    },
    lifecycle: {
      subscribe: (listener) => {
        listeners.push(listener);
        return () => undefined;
      },
      isSender: () => isSender,
    },
    queued: (messages) => queued.push(messages),
    unsaved: (messages) => unsaved.push(messages),
    ...(lostBefore && { lostBefore }),
  };
  const credentials = { apiKey: 'key', sourceIdentifier: 'Source000001' };
  const client = createCore({ credentials, host: 'https://sluice.test', ...options }, ports);
  const signal = (event: LifecycleEvent): void => {
    for (const listener of listeners) listener(event);
  };
  return { client, clock, bodies, sent, keys, queued, unsaved, signal };
}
