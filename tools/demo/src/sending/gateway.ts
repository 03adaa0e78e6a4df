import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ShopCall } from '../call.js';
import { DemoError } from '../demo-error.js';
import { type RunningStack } from '../local-stack.js';
import { type Tally } from './tally.js';

const answerLimitMs = 15_000;
const timeoutMs = 300_000;
const maxPauseMs = 5_000;

interface Request {
  readonly url: string;
  readonly init: RequestInit;
}

/** A client of the gateway that behaves like an SDK. */
export class Gateway {
  constructor(
    private readonly stack: RunningStack,
    private readonly tally: Tally,
  ) {}

  /**
   * Sends until the gateway accepts. After a failure, a 429 or a 5xx, repeats the request with its Idempotency-Key.
   * @throws DemoError when the gateway refuses the request, or does not accept it for five minutes.
   */
  async send(call: ShopCall): Promise<void> {
    const request = this.makeRequest(call);
    const deadline = Date.now() + timeoutMs;
    for (let attempt = 0; ; attempt++) {
      const { isTaken, pauseMs, reason } = await sendOnce(request);
      if (isTaken) {
        this.tally.addAccepted(call);
        return;
      }
      if (Date.now() > deadline) throw new DemoError(`The gateway takes nothing: ${reason}`);
      this.tally.addRepeat();
      // Random jitter keeps clients from retrying at the same moment.
      const pause = Math.max(pauseMs, Math.min(100 * 2 ** attempt, maxPauseMs));
      await sleep(pause * (1 + Math.random() / 4));
    }
  }

  private makeRequest(call: ShopCall): Request {
    const { gateway, source } = this.stack;
    const makeUrl = (path: string): string => new URL(`api/${path}`, gateway.url.replace(/\/*$/, '/')).href;
    if (call.api === 'callback') {
      const query = new URLSearchParams(call.query).toString();
      return { url: makeUrl(`tracker/general/${call.endpoint}?${query}`), init: { method: 'GET' } };
    }
    const { path, body } = makePayload(call, source.sourceIdentifier);
    const credentials = call.api === 'ad' ? {} : { authorization: `Bearer ${source.apiKey}` };
    const headers = { 'content-type': 'application/json', 'idempotency-key': randomUUID(), ...credentials };
    return { url: makeUrl(path), init: { method: 'POST', headers, body: JSON.stringify(body) } };
  }
}

/** Sends one message alone and several as a batch. */
function makePayload(call: Exclude<ShopCall, { api: 'callback' }>, source: string): { path: string; body: unknown } {
  if (call.api === 'ad') return { path: 'rtb/ad', body: call.body };
  if (call.api === 'catalog') return { path: `tracker/catalog/${source}/${call.endpoint}`, body: call.entity };
  const [endpoint, body] = call.list.length === 1 ? ['', call.list[0]] : ['Batch', { list: call.list }];
  return { path: `tracker/sdk/${source}/${call.api}${endpoint}`, body };
}

interface Attempt {
  readonly isTaken: boolean;
  readonly pauseMs: number;
  readonly reason: string;
}

/** @throws DemoError when the error is permanent. */
async function sendOnce({ url, init }: Request): Promise<Attempt> {
  let response: Response;
  let text: string;
  try {
    response = await fetch(url, { ...init, signal: AbortSignal.timeout(answerLimitMs) });
    text = await response.text();
  } catch (error) {
    const { message, cause } = error as Error;
    return { isTaken: false, pauseMs: 0, reason: cause instanceof Error ? cause.message : message };
  }
  const { status, headers } = response;
  if (response.ok) return { isTaken: true, pauseMs: 0, reason: '' };
  const reason = `${status} ${text.slice(0, 300)}`;
  if (status !== 429 && status < 500) {
    throw new DemoError(`The gateway refused ${new URL(url).pathname}: ${reason}`);
  }
  const seconds = Number(headers.get('retry-after') ?? 0);
  return { isTaken: false, pauseMs: Number.isFinite(seconds) ? seconds * 1_000 : 0, reason };
}
