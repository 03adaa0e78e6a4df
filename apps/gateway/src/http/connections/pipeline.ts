import { type IncomingMessage, type ServerResponse } from 'node:http';
import { type Socket } from 'node:net';
import { type ApiError, httpError } from '../../errors/api-error.js';
import { closeSoftly } from '../reading/closing.js';
import { type PipelinedRequest } from '../../request/pipelined-request.js';
import { rawAnswer } from '../answering/raw-answer.js';

/** Requests that may wait for earlier answers, of one connection and of all connections together. */
const maxWaiting = 16;
const maxWaitingInAll = 4_096;
/**
 * Requests that a connection may send, in all its lifetime, before the previous one is answered. Unread answers to them
 * fill the system's buffers, some megabytes a connection.
 */
const maxPipelined = 256;

type Serve = (request: IncomingMessage, answer: ServerResponse) => void;

/** State that all connections of a server share. */
export interface ServerLine {
  serve: Serve;
  /** Called for each request before it is served, so that none is answered without having been counted. */
  onBeforeServe: (answer: ServerResponse) => void;
  /** Calls `send` when an error that belongs to no request has its turn. */
  onRefusalTurn: (refused: ApiError, send: () => void) => void;
  /** Number of waiting requests of all connections. */
  waitingCount: number;
}

/**
 * The requests of one connection. One at a time is in work, so no client has more requests in work than connections,
 * and answers keep their order. A few more may wait. If there are too many, the connection ends after the waiting
 * ones, and the client must send the rest again (RFC 9112, 9.3.2).
 */
export class Pipeline {
  private readonly waitingAnswers: ServerResponse[] = [];
  private current: ServerResponse | undefined;
  private latest: PipelinedRequest | undefined;
  /** Error that is sent last, after all owed answers. */
  private lastRefusal: ApiError | undefined;
  private isEnding = false;
  private pipelined = 0;

  constructor(
    private readonly socket: Socket,
    private readonly line: ServerLine,
  ) {
    socket.once('close', () => this.drop());
  }

  get isFull(): boolean {
    if (this.pipelined >= maxPipelined && this.current !== undefined) return true;
    return (
      this.waitingAnswers.length >= maxWaiting ||
      (this.current !== undefined && this.line.waitingCount >= maxWaitingInAll)
    );
  }

  /** Whether closing the connection interrupts no work: there is no request, or its body has not arrived completely. */
  get canCloseNow(): boolean {
    return this.current?.req.complete !== true;
  }

  add(request: PipelinedRequest, answer: ServerResponse): void {
    if (this.isEnding) return;
    this.latest = request;
    request.answer = answer;
    if (this.current === undefined) this.begin(answer);
    else {
      this.pipelined += 1;
      this.waitingAnswers.push(answer);
      this.line.waitingCount += 1;
    }
  }

  /** Informs the current answer that its connection can take more, for sockets that Node no longer listens to. */
  emitDrain(): void {
    this.current?.emit('drain');
  }

  /** Sends the owed answers, then the error if there is one, and closes. */
  end(refused?: ApiError): void {
    if (this.isEnding) return;
    this.isEnding = true;
    this.lastRefusal = refused;
    if (this.current === undefined) this.close();
    else if (refused === undefined) (this.waitingAnswers.at(-1) ?? this.current).shouldKeepAlive = false;
  }

  /** Ends the connection after the parser failed or the client was too slow. */
  fail(refused: ApiError): void {
    if (this.isEnding) return;
    const brokenRequest = this.latest?.complete === false ? this.latest : undefined;
    if (brokenRequest === undefined) {
      // Further bytes cannot be parsed: stop reading until the owed answers are sent.
      this.socket.pause();
      this.end(refused);
      return;
    }
    // The body of the latest request failed: the error is its answer.
    brokenRequest.isBroken = true;
    const isWaiting = this.waitingAnswers.at(-1)?.req === brokenRequest;
    if (isWaiting) {
      this.waitingAnswers.pop();
      this.line.waitingCount -= 1;
    } else if (this.current?.req !== brokenRequest || this.current.headersSent) {
      // It was answered before its body ended.
      this.socket.destroy();
      return;
    } else this.current = undefined;
    this.end(refused);
  }

  private begin(answer: ServerResponse): void {
    this.current = answer;
    // Emitted once for every answer, also when the client disconnects.
    answer.on('close', this.beginNext);
    this.line.onBeforeServe(answer);
    this.line.serve(answer.req, answer);
  }

  private readonly beginNext = (): void => {
    if (this.current === undefined) return;
    this.current = undefined;
    // An answer that ended the connection was the last.
    if (this.socket.writableEnded || this.socket.destroyed) {
      this.drop();
      return;
    }
    const answer = this.waitingAnswers.shift();
    if (answer) {
      this.line.waitingCount -= 1;
      this.begin(answer);
    } else if (this.isEnding) this.close();
  };

  private close(): void {
    const refused = this.lastRefusal;
    if (refused === undefined || !this.socket.writable) closeSoftly(this.socket);
    else {
      // Reads nothing more while the error waits for its turn in the line; then the connection closes.
      this.socket.pause();
      this.line.onRefusalTurn(refused, () => closeSoftly(this.socket, this.socket.writable ? rawAnswer(refused) : ''));
    }
  }

  /** Drops the waiting requests: none has begun, and their answers could not be sent. */
  private drop(): void {
    this.isEnding = true;
    this.line.waitingCount -= this.waitingAnswers.length;
    this.waitingAnswers.length = 0;
  }
}

/** The error for bytes that never became a request. */
export function parserError(code: string | undefined): ApiError {
  switch (code) {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return httpError.timedOut();
    case 'HPE_HEADER_OVERFLOW':
      return httpError.headersTooLarge();
    default:
      return httpError.malformed();
  }
}
