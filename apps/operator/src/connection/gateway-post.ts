import { isObject } from '@sluice/contracts';
import { OperationError, describeFailure } from '@sluice/operations';
import { retry } from '@sluice/service';

const answerLimitMs = 15_000;
const backoff = { firstPauseMs: 500, maxPauseMs: 5_000 };

/** An answer that a retry would not change. */
export interface GatewayAnswer {
  /** 200, or a 4xx except 408 and 429. */
  status: number;
  /** The parsed body; undefined when it is not JSON, such as a page from a proxy. */
  body: unknown;
  text: string;
}

/** The gateway did not take a request; a retry may help. */
class NotTaken extends Error {
  constructor(
    readonly reason: string,
    /** Shortest pause before the next attempt. */
    readonly pauseMs = 0,
  ) {
    super(reason);
  }
}

/** Posts JSON to one address of a gateway. */
export class GatewayPost {
  constructor(
    private readonly url: string,
    private readonly headers: Readonly<Record<string, string>>,
    /** Time for which a request is retried while the gateway does not take it. */
    private readonly timeoutMs: number,
  ) {}

  /**
   * Sends a body until it is taken or refused.
   * @param triesBefore tries of the same body by an earlier process
   * @throws OperationError when the gateway does not answer, or takes nothing, for too long.
   */
  async send(json: string, triesBefore = 0): Promise<GatewayAnswer> {
    const isRetriable = (error: unknown): error is NotTaken => error instanceof NotTaken;
    try {
      return await retry((failures) => this.attempt(json, failures + triesBefore), {
        ...backoff,
        forMs: this.timeoutMs,
        while: isRetriable,
        minMs: (error) => (isRetriable(error) ? error.pauseMs : 0),
      });
    } catch (error) {
      if (!isRetriable(error)) throw error;
      throw new OperationError(`the gateway at ${new URL(this.url).origin} cannot be used: ${error.reason}`);
    }
  }

  /** @throws NotTaken */
  private async attempt(json: string, retries: number): Promise<GatewayAnswer> {
    let response: Response;
    let text: string;
    try {
      response = await fetch(this.url, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          ...this.headers,
          ...(retries > 0 && { 'x-retry-count': String(retries) }),
        },
        body: json,
        signal: AbortSignal.timeout(answerLimitMs),
      });
      text = await response.text();
    } catch (error) {
      throw new NotTaken(describeFailure((error as Error).cause ?? error));
    }
    const { status, headers } = response;
    const body = parseJson(text);
    // A status below 400 other than 200 is not from the gateway, nor is a 200 that is not JSON: nothing was stored.
    const isTaken = status === 200 && typeof body === 'object' && body !== null;
    if (isTaken || (status >= 400 && status < 500 && status !== 408 && status !== 429)) return { status, body, text };
    throw new NotTaken(describeAnswer({ status, body, text }), parseRetryAfter(headers.get('retry-after')));
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** The status, with the messages of the gateway's error or else the beginning of the body's text. */
export function describeAnswer({ status, body, text }: GatewayAnswer): string {
  const messages = [body].flat().flatMap((entry) => (isObject(entry) ? [entry['message']] : []));
  const messageText = messages.filter((message) => typeof message === 'string').join(', ');
  return `${status} ${messageText || text.replaceAll(/\s+/g, ' ').trim().slice(0, 200)}`.trimEnd();
}

/** Reads Retry-After; a date or an invalid number means no pause. */
function parseRetryAfter(retryAfter: string | null): number {
  const seconds = Number(retryAfter ?? 0);
  return Number.isFinite(seconds) ? seconds * 1_000 : 0;
}
