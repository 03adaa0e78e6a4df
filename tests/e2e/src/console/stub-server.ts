import { type LiveFrame, type NowEvents, type Operation, type Servers } from '@sluice/console-api';
import { operations } from '@sluice/console-api/document';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo } from 'node:net';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type StubAnswers, hostileText, refusal, source } from './fixtures.js';

/** Folder of the built front. */
export const site = fileURLToPath(new URL('../../../../apps/console-web/dist/site/', import.meta.url));

const types: Record<string, string> = { '.js': 'text/javascript', '.css': 'text/css', '.svg': 'image/svg+xml' };

/** The policy of apps/console, so that a breach of it shows here as well. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "font-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
].join('; ');

/** Pause after which the console says the state of the servers again. */
const wordMs = 3_000;

/** Serves the built front with a test's answers in place of the console's API. */
export class StubServer {
  private readonly server: Server;
  /** True while the process hangs: connections stay open, and nothing is sent. */
  isSilent = false;
  /** Paths and queries of all calls of the API, without the streams. Files of the front are loaded when they are needed. */
  readonly asked: string[] = [];

  constructor(private answers: StubAnswers) {
    this.server = createServer((request, response) => this.answer(request, response));
  }

  async start(): Promise<string> {
    await once(this.server.listen(0, '127.0.0.1'), 'listening');
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.server.close();
    this.server.closeAllConnections();
    await once(this.server, 'close');
  }

  /** Replaces answers; undefined makes the operation fail with 503, `late` keeps it open until there is another answer. */
  change(answers: { [Op in Operation]?: StubAnswers[Op] | 'late' | undefined } & { servers?: Servers }): void {
    this.answers = { ...this.answers, ...answers } as StubAnswers;
  }

  private answer(request: IncomingMessage, response: ServerResponse): void {
    const { pathname } = new URL(request.url ?? '/', 'http://stub');
    response.setHeader('Content-Security-Policy', policy);
    if (this.isSilent && pathname.startsWith('/api/')) return;
    if (pathname === '/api/live') sendFrames(response);
    else if (pathname === '/api/now') this.sendNow(response);
    else if (pathname.startsWith('/api/')) {
      this.asked.push(request.url ?? '');
      this.answerCall(`${request.method ?? ''} ${pathname}`, response);
    } else sendFile(pathname, response);
  }

  /** Sends the state of the servers, and the status, when they have changed and every few seconds, as the console does. */
  private sendNow(response: ServerResponse): void {
    if (this.isSilent) return;
    response.writeHead(200, { 'Content-Type': 'text/event-stream' });
    const sent: { [Name in keyof NowEvents]?: unknown } = {};
    let saidAt = 0;
    const look = (): void => {
      if (this.isSilent) {
        setTimeout(look, 100).unref();
        return;
      }
      const now = { servers: this.answers.servers, status: this.answers['GET /api/status'] };
      const isDue = Date.now() - saidAt > wordMs;
      for (const name of ['servers', 'status'] as const) {
        if (now[name] === undefined || (now[name] === sent[name] && !isDue)) continue;
        sent[name] = now[name];
        saidAt = Date.now();
        response.write(`event: ${name}\ndata: ${JSON.stringify(now[name])}\n\n`);
      }
      if (!response.destroyed) setTimeout(look, 100).unref();
    };
    look();
  }

  private answerCall(called: string, response: ServerResponse): void {
    const operation = findOperation(called);
    const answer: unknown = operation && this.answers[operation];
    if (answer === 'late') {
      setTimeout(() => {
        if (!response.destroyed) this.answerCall(called, response);
      }, 100).unref();
      return;
    }
    response.statusCode = answer === undefined ? 503 : 200;
    response.setHeader('Content-Type', 'application/json');
    response.end(JSON.stringify(answer ?? { code: 'unreachable', message: 'ClickHouse does not answer.' }));
  }
}

const patterns = [...operations.keys()]
  .map((operation) => [operation, new RegExp(`^${operation.replaceAll(/:\w+/g, '[^/]+')}$`)] as const)
  // Paths without parameters first: `/ledger` before `/:id`.
  .sort(([a], [b]) => Number(a.includes(':')) - Number(b.includes(':')));

const findOperation = (called: string): Operation | undefined =>
  patterns.find(([, pattern]) => pattern.test(called))?.[0];

function sendFile(pathname: string, response: ServerResponse): void {
  const file = join(site, pathname);
  const isFile = extname(pathname) !== '' && existsSync(file);
  response.setHeader('Content-Type', isFile ? (types[extname(pathname)] ?? 'text/plain') : 'text/html');
  response.end(readFileSync(isFile ? file : join(site, 'index.html')));
}

function sendFrames(response: ServerResponse): void {
  response.writeHead(200, { 'Content-Type': 'text/event-stream' });
  const place = { topic: 'tracking.track.v1', partition: 0 };
  const rows = Array.from({ length: 14 }, (_, i) => ({
    ...place,
    offset: String(100 + i),
    requestId: refusal.requestId,
    at: new Date(Date.UTC(2026, 10, 23, 6, 50, i)).toISOString(),
    sourceIdentifier: source.sourceIdentifier,
    sourceName: source.name,
    receivedAt: new Date(Date.UTC(2026, 10, 23, 6, 50, i)).toISOString(),
    user: `user-${i}`,
    event: i === 12 ? hostileText : (['product_viewed', 'cart_filled', 'order_completed'][i % 3] ?? ''),
    payload: { json: '{"event":"product_viewed","properties":{"price":19.9}}', isCut: false, isMasked: false },
  }));
  const frame: LiveFrame = {
    rows,
    refused: [{ ...refusal, at: '2026-11-23T06:50:13.500Z' }],
    seen: 1922,
    skipped: 23_081,
    dropped: 0,
    lagMs: 120,
    confirmed: { 'tracking.track.v1:0': '110' },
  };
  response.write(`event: frame\ndata: ${JSON.stringify({ ...frame, rows: [], refused: [] })}\n\n`);
  setTimeout(() => response.write(`event: frame\ndata: ${JSON.stringify(frame)}\n\n`), 50);
}
