import { setTimeout as sleep } from 'node:timers/promises';
import { isObject } from '@sluice/contracts';
import { OperatorError, reasonOf } from '../errors.js';
import { type EntityType } from './entity-type.js';

export interface SyncTarget {
  gatewayUrl: string;
  sourceIdentifier: string;
  apiKey: string;
  type: EntityType;
  /** How long a record is tried again while the gateway does not take it. */
  patienceMs: number;
}

/** Entry of interface §2.11. */
export interface Problem {
  field: string;
  message: string;
}

/** What became of a record. */
export interface Outcome {
  stored: boolean;
  /** Why it is refused; or what was left out of it. */
  problems: Problem[];
}

const answerLimitMs = 15_000;
const longestPauseMs = 5_000;

/** The Sync API, for one source and type. */
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
   * Sends a record until it is taken or refused for good.
   * @throws OperatorError when the source or key is refused, or the gateway takes nothing for too long.
   */
  async send(json: string): Promise<Outcome> {
    const giveUpAt = performance.now() + this.target.patienceMs;
    for (let attempt = 0; ; attempt++) {
      const { outcome, reason, pauseMs = 0 } = await this.attempt(json);
      if (outcome) return outcome;
      const pause = Math.max(pauseMs, Math.min(250 * 2 ** attempt, longestPauseMs));
      if (performance.now() + pause > giveUpAt) {
        throw new OperatorError(`the gateway at ${new URL(this.url).origin} cannot be used: ${String(reason)}`);
      }
      await sleep(pause);
    }
  }

  private async attempt(json: string): Promise<{ outcome?: Outcome; reason?: string; pauseMs?: number }> {
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
      return { reason: reasonOf((error as Error).cause ?? error) };
    }
    const { status, headers } = response;
    const body = parsed(text);
    if (status === 200 && isObject(body)) return { outcome: { stored: true, problems: problemsOf(body['dropped']) } };

    const problems = problemsOf(body);
    const reason = `${status} ${problems.map(({ message }) => message).join(', ') || excerpt(text)}`.trimEnd();
    // Of the whole import, not of this record.
    if (status === 401 || status === 404) throw new OperatorError(`the gateway refuses source or key: ${reason}`);
    // Below 400 too: whatever answers there is not the gateway, so the record is not stored.
    if (status < 400 || status === 408 || status === 429 || status >= 500) {
      return { reason, pauseMs: pauseOf(headers.get('retry-after')) };
    }
    return { outcome: { stored: false, problems: problems.length > 0 ? problems : [{ field: '', message: reason }] } };
  }
}

/** Undefined when it is no JSON, as from a proxy before the gateway. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

const isProblem = (value: unknown): value is Problem => isObject(value) && typeof value['message'] === 'string';

const problemsOf = (value: unknown): Problem[] =>
  Array.isArray(value) ? value.filter(isProblem) : [];

const excerpt = (text: string): string => text.replaceAll(/\s+/g, ' ').trim().slice(0, 200);

/** A date, or what is no number, asks for no pause of its own. */
function pauseOf(retryAfter: string | null): number {
  const seconds = Number(retryAfter ?? 0);
  return Number.isFinite(seconds) ? seconds * 1_000 : 0;
}
