// Reaches into a private part of Node: the head of a response as text, `_header` (tested in answer.spec.ts).
import { type IncomingMessage, ServerResponse } from 'node:http';
import { leaveBody } from '../reading/closing.js';
import { fixedHeaders, headerLines, lineEnd } from './fixed-headers.js';
import { PipelinedRequest } from '../../request/pipelined-request.js';

const fixedLines = headerLines(fixedHeaders);

/**
 * A response that adds the fixed headers to its head. They are the same for all answers, so they are checked and
 * formatted once. Doing that for each answer took 4 of the 38 µs of a single request: docs/private-parts.md.
 */
export class FixedHeaderAnswer<Request extends IncomingMessage = IncomingMessage> extends ServerResponse<Request> {
  /** Private to Node: the head as text, set by `writeHead`; ends with an empty line. */
  declare _header: string;

  /** Limits how much of an unread body is read after its answer, unless the edge has limited it already. */
  private leaveBody(): void {
    if (this.req instanceof PipelinedRequest) leaveBody(this.req);
  }

  // Covers both overloads: status, optional status text, optional headers.
  override writeHead(...head: [status: number, ...rest: unknown[]]): this {
    if (!this.req.complete) this.leaveBody();
    else keepConnection(head.at(-1));
    super.writeHead(...(head as [number]));
    this._header = this._header.slice(0, -lineEnd.length) + selectFixedLines(head.at(-1)) + lineEnd;
    return this;
  }
}

/**
 * Removes the `connection: close` that Fastify sets for every body that it refuses: this body has been read. Node still
 * adds the header if the connection ends for another reason.
 */
function keepConnection(ownHeaders: unknown): void {
  if (typeof ownHeaders === 'object' && ownHeaders !== null && 'connection' in ownHeaders) delete ownHeaders.connection;
}

/**
 * The fixed headers without those that the answer sets itself. The files of the documentation and of the Web SDK set
 * some: they may be cached.
 */
function selectFixedLines(ownHeaders: unknown): string {
  if (typeof ownHeaders !== 'object' || ownHeaders === null) return fixedLines;
  if (!('cache-control' in ownHeaders || 'content-security-policy' in ownHeaders)) return fixedLines;
  return headerLines(Object.fromEntries(Object.entries(fixedHeaders).filter(([name]) => !(name in ownHeaders))));
}
