import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { type Sdk } from './sdk.js';

/** Accepts the requests of one SDK like its vendor's endpoint, and counts the events by their number and id. */
export class Stub {
  /** Deliveries of each id of each number. */
  readonly deliveries = new Map<number, Map<string, number>>();
  /** Paths and bodies that could not be read as the SDK's events; the run reports them. */
  readonly unread: string[] = [];

  private constructor(
    private readonly sdk: Sdk,
    private readonly server: Server,
  ) {}

  static async start(sdk: Sdk): Promise<Stub> {
    const server = createServer();
    const stub = new Stub(sdk, server);
    server.on('request', (request: IncomingMessage, response) => {
      stub.take(request).then(
        (body) => response.writeHead(200, corsFor(request.headers)).end(body),
        // The proxy has cut the request.
        () => response.destroy(),
      );
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return stub;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.server.close();
    this.server.closeAllConnections();
    await once(this.server, 'close');
  }

  private async take(request: IncomingMessage): Promise<string> {
    const bytes = await buffer(request);
    const path = new URL(request.url ?? '/', 'http://stub').pathname;
    if (request.method !== 'POST') return '';
    if (!this.sdk.path.test(path)) {
      this.unread.push(path);
      return '{}';
    }
    const body = (isGzip(bytes) ? gunzipSync(bytes) : bytes).toString();
    try {
      for (const { n, id } of this.sdk.eventsOf({ path, headers: request.headers, body })) this.count(n, id);
    } catch (error) {
      this.unread.push(`${path} ${String(error)} ${body.slice(0, 200)}`);
    }
    return this.sdk.accepted;
  }

  private count(n: number, id: string): void {
    const ids = this.deliveries.get(n) ?? new Map<string, number>();
    this.deliveries.set(n, ids.set(id, (ids.get(id) ?? 0) + 1));
  }
}

const isGzip = (bytes: Buffer): boolean => bytes[0] === 0x1f && bytes[1] === 0x8b;

/** Headers that let a page of any origin read the answer, also one that sends cookies. */
export const corsFor = (headers: IncomingMessage['headers']): Record<string, string> => ({
  'access-control-allow-origin': headers.origin ?? '*',
  'access-control-allow-credentials': 'true',
  'access-control-allow-headers': headers['access-control-request-headers'] ?? '*',
  'access-control-allow-methods': 'GET, POST, OPTIONS',
  'access-control-expose-headers': 'Date, Retry-After, X-Request-Id',
  'access-control-max-age': '7200',
  'content-type': 'application/json',
});
