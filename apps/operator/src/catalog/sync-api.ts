import { isObject } from '@sluice/contracts';
import { retry } from '@sluice/service';
import { OperationError, reasonOf } from '@sluice/operations';
import { type EntityType } from './entity-type.js';

export interface SyncTarget {
  gatewayUrl: string;
  sourceIdentifier: string;
  apiKey: string;
  type: EntityType;
  /** Time for which a record is retried while the gateway does not take it. */
  timeoutMs: number;
}

/** An entry of docs/api.md#errors. */
export interface Problem {
  field: string;
  message: string;
}

/** Result of sending a record. */
export interface Outcome {
  stored: boolean;
  /** Problems of a refused record, or values that a stored record lacks. */
  problems: Problem[];
}

const answerLimitMs = 15_000;
const backoff = { firstPauseMs: 500, maxPauseMs: 5_000 };

/** The gateway did not take a record; a retry may help. */
class NotTaken extends Error {
  constructor(
    readonly reason: string,
    /** Shortest pause before the next attempt. */
    readonly pauseMs = 0,
  ) {
    super(reason);
  }
}

/** Client of the Sync API for one source and type. */
export class SyncApi {
  private readonly url: string;

  constructor(private readonly target: SyncTarget) {
    const { gatewayUrl, sourceIdentifier, type } = target;
    this.url = new URL(
      `api/tracker/catalog/${encodeURIComponent(sourceIdentifier)}/${type}`,
      gatewayUrl.replace(/\/*$/, '/'),
    ).href;
  }

  /**
   * Sends a record until it is taken or refused.
   * @throws OperationError when the source or key is refused, or the gateway does not take the record for too long.
   */
  async send(json: string): Promise<Outcome> {
    const again = (error: unknown): error is NotTaken => error instanceof NotTaken;
    try {
      return await retry(() => this.attempt(json), {
        ...backoff,
        forMs: this.target.timeoutMs,
        while: again,
        minMs: (error) => (again(error) ? error.pauseMs : 0),
      });
    } catch (error) {
      if (!again(error)) throw error;
      throw new OperationError(`the gateway at ${new URL(this.url).origin} cannot be used: ${error.reason}`);
    }
  }

  /** @throws NotTaken, or OperationError when no record of the import can be taken. */
  private async attempt(json: string): Promise<Outcome> {
    let response: Response;
    let text: string;
    try {
      response = await fetch(this.url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${this.target.apiKey}` },
        body: json,
        signal: AbortSignal.timeout(answerLimitMs),
      });
      text = await response.text();
    } catch (error) {
      throw new NotTaken(reasonOf((error as Error).cause ?? error));
    }
    const { status, headers } = response;
    const body = parsed(text);
    if (status === 200 && isObject(body)) return { stored: true, problems: problemsOf(body['dropped']) };

    const problems = problemsOf(body);
    const reason = `${status} ${problems.map(({ message }) => message).join(', ') || excerpt(text)}`.trimEnd();
    // This concerns the whole import, not only this record.
    if (status === 401 || status === 404) throw new OperationError(`the gateway refuses source or key: ${reason}`);
    // A status below 400 other than 200 is not from the gateway, so the record is not stored.
    if (status < 400 || status === 408 || status === 429 || status >= 500) {
      throw new NotTaken(reason, pauseOf(headers.get('retry-after')));
    }
    return { stored: false, problems: problems.length > 0 ? problems : [{ field: '', message: reason }] };
  }
}

/** Parses a body; undefined when it is not JSON, such as a page from a proxy. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

const isProblem = (value: unknown): value is Problem => isObject(value) && typeof value['message'] === 'string';

const problemsOf = (value: unknown): Problem[] => (Array.isArray(value) ? value.filter(isProblem) : []);

const excerpt = (text: string): string => text.replaceAll(/\s+/g, ' ').trim().slice(0, 200);

/** Reads Retry-After; a date or an invalid number means no pause. */
function pauseOf(retryAfter: string | null): number {
  const seconds = Number(retryAfter ?? 0);
  return Number.isFinite(seconds) ? seconds * 1_000 : 0;
}
