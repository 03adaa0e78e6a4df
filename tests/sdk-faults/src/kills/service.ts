import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import { DeviceArrivals, type ArrivedMessage, messageNumber } from './arrivals.js';

/** A bad answer, by its name or status, and the percentage of requests that meet it. */
export type StatusShare = readonly [
  fault: 'cut before' | 'cut after' | '503 after storing' | 'slow' | number,
  percent: number,
];

/** Requests without a fault after which one is injected, so that a short run on a slow machine has one too. */
const maxGood = 10;

/** A service that stores as Sluice does, and answers badly by the shares. */
export class FaultyService {
  readonly faults = new Map<string, number>();
  /** Devices whose requests are answered well. */
  private readonly calm = new Set<string>();
  private readonly arrivals = new Map<string, DeviceArrivals>();
  private readonly server: Server;
  private drawn = 0;
  private readonly waiting = new Map<string, () => void>();

  constructor(
    private readonly random: () => number,
    private readonly shares: readonly StatusShare[],
  ) {
    this.server = createServer((request, response) => void this.serve(request, response));
  }

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Messages that the requests of a device brought. The device is the first part of their path. */
  arrivalsFrom(device: string): DeviceArrivals {
    const arrivals = this.arrivals.get(device) ?? new DeviceArrivals();
    this.arrivals.set(device, arrivals);
    return arrivals;
  }

  /** Resolves when the next request of a device has arrived. */
  untilRequest(device: string): Promise<void> {
    const before = this.waiting.get(device);
    return new Promise((resolve) =>
      this.waiting.set(device, () => {
        before?.();
        resolve();
      }),
    );
  }

  /** Answers each request of a device well while `work` is done. */
  async calmly<T>(device: string, work: () => Promise<T>): Promise<T> {
    this.calm.add(device);
    try {
      return await work();
    } finally {
      this.calm.delete(device);
    }
  }

  stop(): void {
    this.server.closeAllConnections();
    this.server.close();
  }

  private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await wholeBody(request);
    // A killed process ends in the midst of a request; that is not a torn batch.
    if (!body) return;
    const device = request.url?.split('/')[1] ?? '';
    const arrivals = this.arrivalsFrom(device);
    arrivals.requests++;
    this.waiting.get(device)?.();
    this.waiting.delete(device);
    const text = (request.headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body).toString();
    const list = listIn(text);
    if (!list) {
      arrivals.torn++;
      answer(response, 400);
      return;
    }
    const take = (): void => {
      arrivals.take({ url: request.url ?? '', key: String(request.headers['idempotency-key']), body: text, list });
    };
    const fault = this.calm.has(device) ? undefined : this.draw(list.length);
    if (fault === 'cut before' || fault === 'cut after') {
      if (fault === 'cut after') take();
      request.socket.destroy();
    } else if (typeof fault === 'number') answer(response, fault);
    else {
      if (fault === 'slow') await setTimeout(this.random() * 40);
      take();
      answer(response, fault === '503 after storing' ? 503 : 200);
    }
  }

  private draw(count: number): StatusShare[0] | undefined {
    let roll = this.random() * 100;
    const isDue = ++this.drawn >= maxGood && this.faults.size === 0;
    const drawn = isDue ? this.shares[0]?.[0] : this.shares.find(([, percent]) => (roll -= percent) < 0)?.[0];
    const fault = drawn === 413 && count < 2 ? undefined : drawn;
    if (fault !== undefined) this.faults.set(String(fault), (this.faults.get(String(fault)) ?? 0) + 1);
    return fault;
  }
}

/** The bytes of a request; undefined if it ended early. */
async function wholeBody(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of request) chunks.push(chunk as Buffer);
    return Buffer.concat(chunks);
  } catch {
    return undefined;
  }
}

function answer(response: ServerResponse, status: number): void {
  const body = status === 200 ? { status: 'QUEUED' } : [{ field: '', message: 'error.of.the.run' }];
  response.writeHead(status, { 'content-type': 'application/json', ...(status === 429 && { 'retry-after': '3' }) });
  response.end(JSON.stringify(body));
}

/** The messages of a body; undefined if it is not a whole list of messages with numbers. */
function listIn(body: string): ArrivedMessage[] | undefined {
  try {
    const { list } = JSON.parse(body) as { list: ArrivedMessage[] };
    return list.length > 0 && list.every((message) => Number.isInteger(messageNumber(message))) ? list : undefined;
  } catch {
    return undefined;
  }
}
