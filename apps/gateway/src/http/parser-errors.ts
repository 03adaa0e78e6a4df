import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import { type Socket } from 'node:net';
import { newId } from '../new-id.js';
import { type ApiError, refusal } from '../errors/api-error.js';
import { fixedHeaders, headerLines, lineEnd } from './fixed-headers.js';

/**
 * Answers what never became a request: broken HTTP, headers too large, a client that is too slow. Returns the refusal
 * that was answered, if anybody was there to read it.
 */
export function answerParserError(error: NodeJS.ErrnoException, socket: Socket): ApiError | undefined {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return undefined;
  }
  const refused = refusalOf(error.code);
  socket.end(rawAnswer(refused), () => socket.destroy());
  return refused;
}

function refusalOf(code: string | undefined): ApiError {
  switch (code) {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return refusal.timedOut();
    case 'HPE_HEADER_OVERFLOW':
      return refusal.headersTooLarge();
    default:
      return refusal.malformed();
  }
}

/** An `Expect` other than 100-continue, which Node does not hand on as a request. */
export function refuseExpectation(_request: IncomingMessage, response: ServerResponse): void {
  response.socket?.end(rawAnswer(refusal.expectationFailed()));
}

/** A whole HTTP answer as text, for a socket that has no response object. */
function rawAnswer({ status, problems }: ApiError): string {
  const body = JSON.stringify(problems);
  const headers = {
    ...fixedHeaders,
    'x-request-id': newId(),
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(Buffer.byteLength(body)),
    connection: 'close',
  };
  return `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}${lineEnd}${headerLines(headers)}${lineEnd}${body}`;
}
