import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';

/** What a device's requests brought to the service. */
export class Arrivals {
  /** Number of times that the service stored the message with this number. */
  readonly stored = new Map<number, number>();
  /** Requests whose body was no list of whole messages. */
  torn = 0;
  /** Messages that came with other bytes than under the same key and place before. */
  changed = 0;
  requests = 0;
  /** Numbers of the messages that came, by their stream. */
  readonly streams = new Map<string, Set<number>>();
  private readonly texts = new Map<string, string>();

  take(key: string, list: readonly Message[]): void {
    for (const [place, message] of list.entries()) {
      const text = JSON.stringify(message);
      const before = this.texts.get(`${key} ${place}`);
      if (before === text) continue;
      if (before !== undefined) this.changed++;
      this.texts.set(`${key} ${place}`, text);
      const number = numberOf(message);
      const { stream, seq } = message.context.sdk;
      this.streams.set(stream, (this.streams.get(stream) ?? new Set()).add(seq));
      this.stored.set(number, (this.stored.get(number) ?? 0) + 1);
    }
  }
}

export interface Message {
  readonly context: { readonly sdk: { readonly stream: string; readonly seq: number } };
  readonly properties?: { readonly n: number };
  readonly traits?: { readonly n: number };
}

export const numberOf = ({ properties, traits }: Message): number => properties?.n ?? traits?.n ?? NaN;

/** A service that stores as Sluice does, and answers badly as long as it is told to. */
export class Service {
  readonly faults = new Map<string, number>();
  /** True when every request is answered well. */
  isCalm = false;
  private readonly arrivals = new Map<string, Arrivals>();
  private readonly server: Server;

  constructor(private readonly random: () => number) {
    this.server = createServer((request, response) => void this.serve(request, response));
  }

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  arrivalsOf(device: string): Arrivals {
    const known = this.arrivals.get(device) ?? new Arrivals();
    this.arrivals.set(device, known);
    return known;
  }

  stop(): void {
    this.server.closeAllConnections();
    this.server.close();
  }

  private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    // A killed process ends in the midst of a request; that is no torn batch.
    const isWhole = await request
      .forEach((chunk: Buffer) => void chunks.push(chunk))
      .then(
        () => true,
        () => false,
      );
    if (!isWhole) return;
    const arrivals = this.arrivalsOf(request.url?.split('/')[1] ?? '');
    arrivals.requests++;
    const body = Buffer.concat(chunks);
    const list = listIn(request.headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body);
    if (!list) {
      arrivals.torn++;
      answer(response, 400);
      return;
    }
    const take = (): void => arrivals.take(String(request.headers['idempotency-key']), list);
    const fault = this.isCalm ? undefined : this.draw(list.length);
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

  private draw(count: number): string | number | undefined {
    const roll = this.random() * 100;
    const found = shares.find(([, until]) => roll < until)?.[0];
    const fault = found === 413 && count < 2 ? undefined : found;
    if (fault !== undefined) this.faults.set(String(fault), (this.faults.get(String(fault)) ?? 0) + 1);
    return fault;
  }
}

/** Faults, and the percentage of requests below which they are drawn. */
const shares: readonly (readonly [string | number, number])[] = [
  ['cut before', 8],
  ['cut after', 16],
  ['503 after storing', 20],
  [503, 24],
  [429, 28],
  ['slow', 40],
  [413, 42],
  [401, 42.2],
];

function answer(response: ServerResponse, status: number): void {
  const body = status === 200 ? { status: 'QUEUED' } : [{ field: '', message: 'error.of.the.run' }];
  response.writeHead(status, { 'content-type': 'application/json', ...(status === 429 && { 'retry-after': '3' }) });
  response.end(JSON.stringify(body));
}

/** The messages of a body; undefined if it is not a whole list of messages with numbers. */
function listIn(body: Buffer): Message[] | undefined {
  try {
    const { list } = JSON.parse(body.toString()) as { list: Message[] };
    return list.length > 0 && list.every((one) => Number.isInteger(numberOf(one))) ? list : undefined;
  } catch {
    return undefined;
  }
}
