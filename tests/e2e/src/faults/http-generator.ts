import { Agent, request } from 'node:http';

export interface RequestTarget {
  url: string;
  sourceIdentifier: string;
  apiKey: string;
}

/** One sent request: its time, the duration until the answer, and the status; 0 means no answer. */
export interface SentRequest {
  readonly sentAt: number;
  readonly tookMs: number;
  readonly status: number;
}

/** A request to send. */
export interface LoadCall {
  readonly method: 'GET' | 'POST';
  /** Path below /api/tracker/, in which `*` stands for the source. */
  readonly path: string;
  readonly body?: unknown;
  /** Ids that count as acknowledged when the answer is 200. */
  readonly ids: readonly string[];
}

const timeoutMs = 15_000;
const tickMs = 20;

/**
 * Sends requests at a steady rate, without waiting for answers, and remembers those answered with 200. By default it
 * sends events.
 */
export class HttpGenerator {
  /** Ids of calls answered with 200; the ids of events are their users. */
  readonly acknowledged = new Set<string>();
  readonly sent: SentRequest[] = [];
  private readonly agent = new Agent({ keepAlive: true, maxSockets: 4_000 });
  private readonly underWay = new Set<Promise<void>>();
  private timer: NodeJS.Timeout | undefined;

  constructor(
    readonly target: RequestTarget,
    /** Prefix of the users of events. */
    name: string,
    private readonly nextCall: () => LoadCall = eventCalls(name),
  ) {}

  start(requestsPerSecond: number): void {
    let due = 0;
    this.timer = setInterval(() => {
      for (due += (requestsPerSecond * tickMs) / 1_000; due >= 1; due--) this.send();
    }, tickMs);
  }

  /** Pauses sending. Resolves when every request is answered. */
  async pause(): Promise<void> {
    clearInterval(this.timer);
    await Promise.all(this.underWay);
  }

  async stop(): Promise<void> {
    await this.pause();
    this.agent.destroy();
  }

  private send(): void {
    const call = this.nextCall();
    const sentAt = Date.now();
    const sending = this.request(call).then((status) => {
      this.underWay.delete(sending);
      this.sent.push({ sentAt, tookMs: Date.now() - sentAt, status });
      if (status === 200) for (const id of call.ids) this.acknowledged.add(id);
    });
    this.underWay.add(sending);
  }

  private request({ method, path, body }: LoadCall): Promise<number> {
    const { url, sourceIdentifier, apiKey } = this.target;
    return new Promise((resolve) => {
      const call = request(`${url}/api/tracker/${path.replace('*', sourceIdentifier)}`, {
        method,
        agent: this.agent,
        timeout: timeoutMs,
        headers: { 'content-type': 'application/json', authorization: `Bearer ${apiKey}` },
      });
      call.on('response', (response) => {
        response.resume().on('end', () => resolve(response.statusCode ?? 0));
        response.on('error', () => resolve(0));
      });
      call.on('timeout', () => call.destroy(new Error('no answer')));
      call.on('error', () => resolve(0));
      call.end(body === undefined ? undefined : JSON.stringify(body));
    });
  }
}

/** Each event has a unique user, by which it is found again. Every tenth request is a batch of ten. */
function eventCalls(name: string): () => LoadCall {
  let [requests, users] = [0, 0];
  return () => {
    const isBatch = ++requests % 10 === 0;
    const ids = Array.from({ length: isBatch ? 10 : 1 }, () => `${name}-${++users}`);
    const list = ids.map((userId) => ({ userId, event: 'spooled', properties: { price: 49.9, name: 'Something' } }));
    const [path, body] = isBatch ? ['sdk/*/trackBatch', { list }] : ['sdk/*/track', list[0]];
    return { method: 'POST', path, body, ids };
  };
}

/** Counts the answers by status and summarises their durations, for requests sent in a period. */
export function summarizeAnswers(sent: readonly SentRequest[], from = 0, to = Infinity) {
  const requestsInPeriod = sent.filter(({ sentAt }) => sentAt >= from && sentAt < to);
  const took = requestsInPeriod.map(({ tookMs }) => tookMs).sort((a, b) => a - b);
  const byStatus: Record<number, number> = {};
  for (const { status } of requestsInPeriod) byStatus[status] = (byStatus[status] ?? 0) + 1;
  return { byStatus, p50Ms: percentile(took, 0.5), p99Ms: percentile(took, 0.99), maxMs: took.at(-1) ?? 0 };
}

const percentile = (sorted: readonly number[], part: number): number =>
  sorted[Math.floor((sorted.length - 1) * part)] ?? 0;
