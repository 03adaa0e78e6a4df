import { STATUS_CODES } from 'node:http';
import { type ApiError } from '../../errors/api-error.js';
import { newId } from '../../new-id.js';
import { fixedHeaders, headerLines, lineEnd } from './fixed-headers.js';

/** Formats an error as a whole HTTP answer, for a socket that has no response object. */
export function rawAnswer({ status, problems, headers: ownHeaders }: ApiError): string {
  const body = JSON.stringify(problems);
  const headers = {
    ...fixedHeaders,
    ...ownHeaders,
    'x-request-id': newId(),
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(Buffer.byteLength(body)),
    connection: 'close',
  };
  return `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}${lineEnd}${headerLines(headers)}${lineEnd}${body}`;
}
