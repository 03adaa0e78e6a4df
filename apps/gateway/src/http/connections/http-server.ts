import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type ApiError, httpError } from '../../errors/api-error.js';
import { FixedHeaderAnswer } from '../answering/answer.js';
import { releaseParser } from '../reading/discard-body.js';
import { Pipeline, type ServerLine, parserError } from './pipeline.js';
import {
  maxHeaders,
  PipelinedRequest,
  findPipeline,
  type PipelinedSocket,
  setPipeline,
} from '../../request/pipelined-request.js';
import { type Closed, maySend, Strangers } from './strangers.js';

/** Path of the health check, for which a few connections are kept. */
export const healthPath = '/health/ready';

/** Time for a whole request, from its first byte to its last. */
export const requestTimeoutMs = 10_000;
const headersTimeoutMs = 5_000;
/** Time without a byte read or written after which a client counts as gone or as not reading its answer. */
const silenceMs = 30_000;
const keptAliveMs = 75_000;
const maxHeaderBytes = 16_384;

/** A connection of this server. */
type HttpConnection = PipelinedSocket<Pipeline>;

interface Options extends Omit<ServerLine, 'waitingCount'> {
  onConnection: () => void;
  onClosed?: (which: Closed) => void;
  maxConnections: number;
}

/** Creates a server that bounds the time in which a client must send, read and close. */
export function createHttpServer({ onConnection, onClosed, maxConnections, ...serverOptions }: Options): Server {
  const server = createServer({
    IncomingMessage: PipelinedRequest,
    ServerResponse: FixedHeaderAnswer,
    requestTimeout: requestTimeoutMs,
    headersTimeout: headersTimeoutMs,
    keepAliveTimeout: keptAliveMs,
    connectionsCheckingInterval: 1_000,
    maxHeaderSize: maxHeaderBytes,
    requireHostHeader: false,
  });
  server.maxHeadersCount = maxHeaders;
  server.timeout = silenceMs;
  const line: ServerLine = { ...serverOptions, waitingCount: 0 };
  const strangers = new Strangers(maxConnections, onClosed);
  server.on('connection', (socket: HttpConnection) => {
    const pipeline = new Pipeline(socket, line);
    setPipeline(socket, pipeline);
    strangers.add(socket, () => pipeline.canCloseNow);
    onConnection();
  });
  const add = (request: IncomingMessage, answer: ServerResponse): void => {
    if (!maySend(request.socket, request.url === healthPath)) return;
    findPipeline<Pipeline>(request.socket)?.add(request as PipelinedRequest, answer);
  };
  // The edge answers `Expect` when the pipeline serves the request.
  for (const event of ['request', 'checkContinue', 'checkExpectation'] as const) server.on(event, add);
  server.on('clientError', ({ code }: NodeJS.ErrnoException, socket: HttpConnection) => {
    if (code === 'ECONNRESET' || !socket.writable) socket.destroy();
    else findPipeline(socket)?.fail(parserError(code));
  });
  const endHttp = (socket: HttpConnection, refused?: ApiError): void => {
    releaseParser(socket);
    // Node has removed its own listeners from this socket.
    socket.on('error', () => socket.destroy()).on('timeout', () => socket.destroy());
    socket.on('drain', () => findPipeline(socket)?.emitDrain());
    findPipeline(socket)?.end(refused);
  };
  server.on('connect', (_request, socket: HttpConnection) =>
    endHttp(socket, httpError.methodNotAllowed(['GET', 'POST'])),
  );
  server.on('upgrade', (_request, socket: HttpConnection) => endHttp(socket));
  return server;
}
