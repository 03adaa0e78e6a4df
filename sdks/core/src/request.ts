import { type Batch, bodyOf } from './batch.js';
import { type HttpAnswer, type HttpRequest, type Transport } from './ports.js';

/** The request that sends a batch. With `handling=lenient`, a bad message is refused without the others. */
export const batchRequest = (
  { key, host, sourceIdentifier, kind }: Pick<Batch, 'key' | 'host' | 'sourceIdentifier' | 'kind'>,
  apiKey: string,
  texts: readonly string[],
  keepalive: boolean,
): HttpRequest => ({
  method: 'POST',
  url: urlOf(host, encodeURIComponent(sourceIdentifier), kind),
  headers: {
    Authorization: `Bearer ${apiKey}`,
    'Content-Type': 'application/json',
    'Idempotency-Key': key,
    Prefer: 'handling=lenient',
  },
  body: bodyOf(texts),
  keepalive,
});

/** A host that ends with `/` is the operator's own: its paths are short, so that content blockers do not match them. */
const urlOf = (host: string, source: string, kind: Batch['kind']): string =>
  host.endsWith('/') ? `${host}${source}/${kind.charAt(0)}b` : `${host}/api/tracker/sdk/${source}/${kind}Batch`;

/** Sends a request without a time limit. Resolves with undefined if there is no answer. */
export const answerTo = (transport: Transport, request: HttpRequest): Promise<HttpAnswer | undefined> =>
  transport.send(request).answer.catch(() => undefined);
