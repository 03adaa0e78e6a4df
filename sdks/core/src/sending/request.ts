import { type Batch, batchBody } from '../message/batch.js';
import { type Clock, type HttpAnswer, type HttpRequest, type Transport } from '../ports/ports.js';

/** `Prefer` of a batch: a bad message is refused without the others. */
export const lenient = 'handling=lenient';

/**
 * The request that sends a batch.
 * @param sentAt present time in milliseconds since 1970 by the clock that dates the messages, so that the service knows
 * how wrong it is
 */
export const batchRequest = (
  { key, host, sourceIdentifier, kind }: Pick<Batch, 'key' | 'host' | 'sourceIdentifier' | 'kind'>,
  apiKey: string,
  texts: readonly string[],
  keepalive: boolean,
  sentAt: number,
): HttpRequest => ({
  method: 'POST',
  url: batchUrl(host, encodeURIComponent(sourceIdentifier), kind),
  headers: {
    Authorization: `Bearer ${apiKey}`,
    'Content-Type': 'application/json',
    'Idempotency-Key': key,
    // A header of its own would fail at the preflight of a gateway that does not know it.
    Prefer: `${lenient}, sent-at=${sentAt}`,
  },
  body: batchBody(texts),
  keepalive,
});

/** A host that ends with `/` is the operator's own: its paths are short, so that content blockers do not match them. */
const batchUrl = (host: string, source: string, kind: Batch['kind']): string => {
  const type = kind === 'device' ? 'track' : kind;
  return host.endsWith('/') ? `${host}${source}/${type.charAt(0)}b` : `${host}/api/tracker/sdk/${source}/${type}Batch`;
};

/** Sends a request without a time limit. Resolves with undefined if there is no answer. */
export const sendRequest = (transport: Transport, request: HttpRequest): Promise<HttpAnswer | undefined> =>
  transport.send(request).answer.catch(() => undefined);

/** Time after which a request counts as one without an answer. */
const timeoutMs = 30_000;

/**
 * Sends a request. Resolves with undefined if it fails or there is no answer in time, after `noteFailure` got the error
 * of a failure.
 */
export const sendInTime = (
  { clock, transport }: { readonly clock: Clock; readonly transport: Transport },
  request: HttpRequest,
  noteFailure: (cause?: unknown) => void = () => undefined,
): Promise<HttpAnswer | undefined> =>
  new Promise((resolve) => {
    const exchange = transport.send(request);
    const giveUp = (cause?: unknown): void => {
      noteFailure(cause);
      resolve(undefined);
    };
    const cancel = clock.later(timeoutMs, () => {
      exchange.abort();
      giveUp();
    });
    void exchange.answer.then(resolve, giveUp).finally(cancel);
  });
