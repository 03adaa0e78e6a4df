import { type PipelinedRequest } from '../../request/pipelined-request.js';

/** `uri-host [ ":" port ]` of RFC 9110, 7.2; empty when the target has no authority. */
const host = /^(?:[\w.~!$&'()*+,;=%-]*|\[[\da-fv:.%~_-]+\])(?::\d*)?$/i;

/**
 * Whether RFC 9112 allows the head of a request: version 1.0 or 1.1; one valid `Host`, which only 1.0 may leave out
 * (3.2); no transfer coding but one `chunked`, which 1.0 does not have (6.1). Node's parser takes more, and a proxy
 * could understand such a request differently.
 */
export function isValidHead({ httpVersion, headers, rawHeaders }: PipelinedRequest): boolean {
  const isNew = httpVersion === '1.1';
  if (!isNew && httpVersion !== '1.0') return false;
  const coding = headers['transfer-encoding'];
  if (coding !== undefined && (!isNew || coding.trim().toLowerCase() !== 'chunked')) return false;
  if (headers.host === undefined) return !isNew;
  return host.test(headers.host) && hasOneHost(rawHeaders);
}

/** Counts the raw headers, because Node keeps only the first of several. */
function hasOneHost(rawHeaders: readonly string[]): boolean {
  let count = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] ?? '';
    if (name.length === 4 && name.toLowerCase() === 'host') count += 1;
  }
  return count === 1;
}
