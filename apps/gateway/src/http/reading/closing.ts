import { type IncomingMessage } from 'node:http';
import { type Socket } from 'node:net';
import { discardBody, hasParser, pauseAfterReads } from './discard-body.js';
import { type PipelinedRequest } from '../../request/pipelined-request.js';

/** Bytes of an unwanted body that are still read: a client that writes before it reads must get its answer. */
const lingerBytes = 1_048_576;
/** The same for a connection that was detached from the parser after too many requests at once, or a CONNECT. */
const unparsedBytes = 65_536;
/** Time for the client to read its last answer before the connection is destroyed. */
const lingerMs = 1_000;
/** Time for the client to read a long answer; less than the silence that the server allows. */
export const readSeconds = 20;
const lookMs = 100;
/** Unwanted bytes that are read per `lookMs`, of all connections together. */
const lingerBytesOfAll = 4 * 1_048_576;
/** Weight of a byte of a chunked body in that bound: 64 KiB in chunks of one byte take 1 ms to parse. */
const chunkedWeight = 16;
/** A body up to this size is read to its end, and its connection is kept. */
const keptBodyBytes = 65_536;

/**
 * Ends a connection after its last answer. The client's bytes are read and discarded for a moment: closing a socket
 * with unread bytes resets the connection, and a reset can destroy the answer on its way.
 */
export function closeSoftly(socket: Socket, lastWords = ''): void {
  endAndLinger(socket, lingerMs, lastWords);
}

/**
 * Ends the connection of a request after its long answer. A client that does not read it in time is reset, which also
 * frees the system's buffers: closing alone would leave the answer in them for minutes.
 */
export function closeWhenRead({ answer, socket }: PipelinedRequest): void {
  answer.shouldKeepAlive = false;
  // Node calls this to end a connection.
  socket.destroySoon = () => endAndLinger(socket, readSeconds * 1_000);
}

/**
 * Ends a connection whose body is unwanted. The body is read for one turn of the event loop at each look, and all such
 * bodies together have a bound: endless bodies would take the time of other clients.
 */
function closeSender(socket: Socket, isChunked: boolean): void {
  if (socket.destroyed) return;
  const maxBytes = socket.bytesRead + lingerBytes;
  let looks = 0;
  const look = (): void => {
    if (looks++ >= lingerMs / lookMs) {
      socket.destroy();
      return;
    }
    if (socket.bytesRead > maxBytes || !discarded.hasRoom) return;
    const before = socket.bytesRead;
    socket.resume();
    setImmediate(() => {
      socket.pause();
      discarded.add((socket.bytesRead - before) * (isChunked ? chunkedWeight : 1));
    });
  };
  let timer: NodeJS.Timeout | undefined;
  socket.once('finish', () => {
    look();
    timer = setInterval(look, lookMs);
  });
  socket.once('close', () => clearInterval(timer));
  socket.end();
}

/** Counts the unwanted bytes that are read per `lookMs`. */
class DiscardedBytes {
  private bytes = 0;
  private since = 0;

  get hasRoom(): boolean {
    const now = performance.now();
    if (now - this.since >= lookMs) [this.bytes, this.since] = [0, now];
    return this.bytes < lingerBytesOfAll;
  }

  add(bytes: number): void {
    this.bytes += bytes;
  }
}
const discarded = new DiscardedBytes();

function endAndLinger(socket: Socket, timeoutMs: number, lastWords = ''): void {
  if (socket.destroyed) return;
  const isParsed = hasParser(socket);
  const maxBytes = socket.bytesRead + (isParsed ? lingerBytes : unparsedBytes);
  const isOver = (): boolean => socket.bytesRead > maxBytes;
  let timer: NodeJS.Timeout | undefined;
  socket.once('finish', () => {
    let looks = 0;
    timer = setInterval(() => {
      if (++looks >= timeoutMs / lookMs) {
        if (timeoutMs > lingerMs) socket.resetAndDestroy();
        else socket.destroy();
      } else if (isOver()) socket.pause();
    }, lookMs);
  });
  socket.once('close', () => clearInterval(timer));
  // Without the parser each read has a buffer of its own, and one turn of the loop reads up to 2 MiB of each socket:
  // the next look would come too late.
  if (!isParsed) {
    socket.on('data', () => {
      if (isOver()) socket.pause();
    });
  }
  socket.end(lastWords);
  socket.resume();
}

/** Whether a request announces a body. */
export const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

/**
 * Leaves an unwanted body unread: the answer ends the connection, unless the body is so small that reading it is
 * cheaper than a new connection.
 */
export function leaveBody(request: PipelinedRequest): void {
  if (request.isLeft || request.complete || !hasBody(request)) return;
  const { headers, socket, answer } = request;
  const isChunked = headers['transfer-encoding'] !== undefined;
  if (!isChunked && Number(headers['content-length']) <= keptBodyBytes) return;
  request.isLeft = true;
  answer.shouldKeepAlive = false;
  discardBody(socket);
  if (isChunked) pauseAfterReads(socket);
  // The body must not be read while the answer waits for its turn.
  socket.pause();
  // Node calls this to end a connection; its own version would close it while the client still sends.
  socket.destroySoon = () => closeSender(socket, isChunked);
}
