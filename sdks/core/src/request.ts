import { type Batch, bodyOf } from './batch.js';
import { type HttpRequest } from './ports.js';

/** The request that sends a batch. `handling=lenient` lets one bad message take no other with it. */
export const batchRequest = (
  { key, host, sourceIdentifier, kind }: Pick<Batch, 'key' | 'host' | 'sourceIdentifier' | 'kind'>,
  apiKey: string,
  texts: readonly string[],
  keepalive: boolean,
): HttpRequest => ({
  method: 'POST',
  url: `${host}/api/tracker/sdk/${encodeURIComponent(sourceIdentifier)}/${kind}Batch`,
  headers: {
    Authorization: `Bearer ${apiKey}`,
    'Content-Type': 'application/json',
    'Idempotency-Key': key,
    Prefer: 'handling=lenient',
  },
  body: bodyOf(texts),
  keepalive,
});
