import { randomUUID } from 'node:crypto';
import { type HttpAnswer, type HttpRequest, type Transport } from '@sluice/sdk-core';

/** Clients that are wrong on purpose. `new-key`: each try is under a key of its own. */
export const transportMutants = ['new-key'] as const;

/** Sends as `fetch` of a page does: what CORS hides from a page is not an answer. */
export function pageTransport(client: { readonly isAlive: boolean }, mutant: string | undefined): Transport {
  return {
    send: (request) => {
      const aborting = new AbortController();
      const sent = mutant === 'new-key' ? withNewKey(request) : request;
      const answer = exchange(sent, aborting.signal).then(
        (answered) => (client.isAlive ? answered : never),
        (error: unknown) => (client.isAlive ? Promise.reject(error as Error) : never),
      );
      return {
        answer,
        abort: () => aborting.abort(),
      };
    },
  };
}

/** A client that was killed sees no answer, and does nothing any more. */
const never = new Promise<never>(() => undefined);

async function exchange(request: HttpRequest, signal: AbortSignal): Promise<HttpAnswer> {
  const { url, method, headers, body } = request;
  const answer = await fetch(url, { method, headers, redirect: 'error', signal, ...(body !== undefined && { body }) });
  const text = await answer.text();
  if (answer.headers.get('access-control-allow-origin') !== '*') throw new TypeError('hidden by CORS');
  return { status: answer.status, body: text, header: (name) => answer.headers.get(name) };
}

const withNewKey = (request: HttpRequest): HttpRequest => ({
  ...request,
  headers: { ...request.headers, 'Idempotency-Key': randomUUID() },
});
