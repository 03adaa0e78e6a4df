import { setTimeout as sleep } from 'node:timers/promises';
import { batchRequest, type HttpAnswer, meaningOf } from '@sluice/sdk-core';
import { createTransport } from '../fetch-transport.js';
import { ImportError } from './import-error.js';
import { type Problem } from './message.js';
import { type ImportOptions } from './options.js';
import { type ImportBatch } from './segments.js';

const timeoutMs = 30_000;
const maxPauseMs = 30_000;

/** Problems of the messages of a batch by their place; place -1 has those of the whole batch. */
export interface Outcome {
  readonly refused: ReadonlyMap<number, readonly Problem[]>;
  readonly dropped: ReadonlyMap<number, readonly Problem[]>;
}

/** Sends batches. All of them pause when one fails. */
export class Sender {
  private readonly transport = createTransport();
  private pausedUntil = 0;
  private failures = 0;
  private progressAt = performance.now();

  constructor(private readonly options: ImportOptions) {}

  /**
   * Sends a batch until it is stored or refused.
   * @throws ImportError when key, source or size are refused, or nothing was settled for too long
   */
  async send(batch: ImportBatch): Promise<Outcome> {
    for (;;) {
      for (let wait = this.wait(); wait > 0; wait = this.wait()) await sleep(wait);
      const answer = await this.answerTo(batch);
      const body = parsed(answer?.body);
      const meaning = meaningOf(answer);
      if (meaning === 'stored' || meaning === 'refused') {
        this.failures = 0;
        this.progressAt = performance.now();
        return outcomeOf(meaning, body, batch.lines.length);
      }
      const reason = answer ? `${answer.status} ${reasonOf(body)}`.trim() : 'no answer';
      if (meaning === 'unauthorized') throw new ImportError(`the service refuses source or key: ${reason}`);
      if (meaning === 'too-large') throw new ImportError(`the service refuses ${batch.body.length} bytes: ${reason}`);
      this.pause(answer);
      if (performance.now() - this.progressAt < this.options.timeoutMs) continue;
      throw new ImportError(`the service at ${this.options.apiHost} cannot be used: ${reason}`);
    }
  }

  /** Ends the requests that are under way. */
  end(): void {
    this.transport.end();
  }

  private wait(): number {
    return Math.max(0, this.pausedUntil - performance.now());
  }

  private pause(answer: HttpAnswer | undefined): void {
    const asked = secondsOf(answer?.header('retry-after')) * 1_000;
    // Requests that fail at the same time count as one failure.
    if (this.wait() === 0) this.failures++;
    const own = Math.min(maxPauseMs, 250 * 2 ** this.failures) * (0.5 + Math.random() / 2);
    this.pausedUntil = Math.max(this.pausedUntil, performance.now() + Math.max(asked, own));
  }

  private async answerTo({ kind, key, body }: ImportBatch): Promise<HttpAnswer | undefined> {
    const { apiHost, sourceIdentifier, apiKey } = this.options;
    const origin = { host: apiHost, sourceIdentifier, kind, key };
    const request = { ...batchRequest(origin, apiKey, [], false), body };
    const exchange = this.transport.send(request);
    const timer = setTimeout(() => exchange.abort(), timeoutMs);
    try {
      return await exchange.answer;
    } catch {
      return undefined;
    } finally {
      clearTimeout(timer);
    }
  }
}

type Body = Partial<Record<'rejected' | 'dropped', unknown>> | Problem[] | undefined;

function parsed(text: string | undefined): Body {
  try {
    return JSON.parse(text ?? '') as Body;
  } catch {
    return undefined;
  }
}

function outcomeOf(meaning: 'stored' | 'refused', body: Body, count: number): Outcome {
  if (Array.isArray(body)) {
    const refused = byPlace(body);
    const whole = refused.get(-1) ?? (refused.size === 0 ? [{ field: '', message: 'refused' }] : undefined);
    const places = whole ? Array.from({ length: count }, (_, at) => [at, whole] as const) : [];
    return { refused: new Map([...places, ...refused]), dropped: new Map() };
  }
  const list = (name: 'rejected' | 'dropped'): Problem[] =>
    meaning === 'stored' && Array.isArray(body?.[name]) ? (body[name] as Problem[]) : [];
  return { refused: byPlace(list('rejected')), dropped: byPlace(list('dropped')) };
}

/** Problems by the place of the message that they name, like `list[3].userId`. */
function byPlace(problems: readonly Problem[]): Map<number, Problem[]> {
  const places = new Map<number, Problem[]>();
  for (const { field, message } of problems) {
    const [, at, name = field] = /^list\[(\d+)\]\.?(.*)$/.exec(field) ?? [];
    const place = at === undefined ? -1 : Number(at);
    places.set(place, [...(places.get(place) ?? []), { field: name, message }]);
  }
  return places;
}

const reasonOf = (body: Body): string => (Array.isArray(body) ? body.map(({ message }) => message).join(', ') : '');

/** Retry-After in seconds; a date or an invalid number means none. */
const secondsOf = (text: string | null | undefined): number => Math.min(3_600, Number(text) || 0);
