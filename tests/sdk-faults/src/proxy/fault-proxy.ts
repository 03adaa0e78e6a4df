import { once } from 'node:events';
import { Agent, createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Fault, faults } from './fault.js';

export interface ProxiedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  /** Length of the body. */
  readonly bytes: number;
}

interface Exchanged {
  request: IncomingMessage;
  body: Buffer;
  answer: ServerResponse;
}

/** Headers that are about one connection. */
const ofConnection = ['connection', 'keep-alive', 'transfer-encoding'];

/** An HTTP proxy on loopback that forwards requests to a gateway, or injects a fault. */
export class FaultProxy {
  /** Chooses the fault of a request that is not covered by `next`. Preflights are forwarded without asking it. */
  choose: (request: ProxiedRequest) => Fault = () => faults.none;
  private readonly queue: Fault[] = [];
  private readonly agent = new Agent({ keepAlive: true });

  private constructor(
    private readonly server: Server,
    private readonly target: URL,
  ) {}

  static async start(targetUrl: string): Promise<FaultProxy> {
    const server = createServer({ requireHostHeader: false });
    const proxy = new FaultProxy(server, new URL(targetUrl));
    server.on('request', (incoming: IncomingMessage, answer: ServerResponse) => {
      // The connection is gone: nobody is left to answer.
      proxy.serve(incoming, answer).catch(() => answer.destroy());
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** The faults of the next requests, in order. */
  next(...nextFaults: readonly Fault[]): void {
    this.queue.push(...nextFaults);
  }

  /** Resets all connections. */
  resetAll(): void {
    this.server.closeAllConnections();
  }

  async stop(): Promise<void> {
    this.server.close();
    this.resetAll();
    this.agent.destroy();
    await once(this.server, 'close');
  }

  private async serve(incoming: IncomingMessage, answer: ServerResponse): Promise<void> {
    const body = await buffer(incoming);
    const { method = 'GET', url: path = '/', headers } = incoming;
    const seenRequest = { method, path, headers, bytes: body.length };
    const fault = method === 'OPTIONS' ? faults.none : (this.queue.shift() ?? this.choose(seenRequest));
    await this.suffer(fault, { request: incoming, body, answer });
  }

  private async suffer(fault: Fault, exchanged: Exchanged): Promise<void> {
    const { answer } = exchanged;
    switch (fault.kind) {
      case 'none':
        pass(await this.forward(exchanged), answer);
        return;
      case 'delay': {
        const forwarded = await this.forward(exchanged);
        await sleep(fault.ms, undefined, { ref: false });
        pass(forwarded, answer);
        return;
      }
      case 'silence':
        if (fault.isForwarded) await this.forward(exchanged);
        return;
      case 'answer':
        if (fault.isForwarded) await this.forward(exchanged);
        answer.writeHead(fault.status, fault.headers).end(fault.body);
        return;
      case 'cut':
        if (fault.at === 'mid-request') await this.forwardHalf(exchanged);
        else if (fault.at === 'after') await this.forward(exchanged);
        else if (fault.at === 'mid-answer') await sendHalf(await this.forward(exchanged), answer);
        if (fault.byReset) exchanged.request.socket.resetAndDestroy();
        else exchanged.request.socket.destroy();
    }
  }

  private async forward(exchanged: Exchanged): Promise<Forwarded> {
    const outgoing = this.toGateway(exchanged);
    outgoing.end(exchanged.body);
    const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
    return { status: response.statusCode ?? 502, headers: response.headers, body: await buffer(response) };
  }

  /** The gateway gets the head and half of the body; then the connection to it ends. */
  private async forwardHalf(exchanged: Exchanged): Promise<void> {
    const outgoing = this.toGateway(exchanged);
    outgoing.on('error', () => undefined);
    await new Promise<void>((resolve) => {
      outgoing.write(exchanged.body.subarray(0, exchanged.body.length / 2), () => resolve());
    });
    outgoing.destroy();
  }

  private toGateway({ request: { method, url, headers }, body }: Exchanged) {
    const { hostname, port } = this.target;
    const ownHeaders = { ...withoutConnection(headers), host: this.target.host, 'content-length': String(body.length) };
    return request({ hostname, port, method, path: url, headers: ownHeaders, agent: this.agent });
  }
}

interface Forwarded {
  status: number;
  headers: IncomingMessage['headers'];
  body: Buffer;
}

function pass({ status, headers, body }: Forwarded, answer: ServerResponse): void {
  answer.writeHead(status, withoutConnection(headers)).end(body);
}

async function sendHalf({ status, headers, body }: Forwarded, answer: ServerResponse): Promise<void> {
  answer.writeHead(status, withoutConnection(headers));
  await new Promise<void>((resolve) => {
    answer.write(body.subarray(0, body.length / 2), () => resolve());
  });
}

const withoutConnection = (headers: IncomingMessage['headers']): IncomingMessage['headers'] =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !ofConnection.includes(name)));
