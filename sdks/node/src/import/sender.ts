import { setTimeout as sleep } from 'node:timers/promises';
import { batchRequest, type HttpAnswer, lenient, classifyAnswer } from '@sluice/sdk-core';
import { createTransport } from '../fetch-transport.js';
import { ImportError } from './import-error.js';
import { type MessageProblem } from './message.js';
import { type ImportOptions } from './options.js';
import { type ImportBatch } from './segments.js';

const timeoutMs = 30_000;
const maxPauseMs = 30_000;

/** Problems of the messages of a batch by their place; place -1 has those of the whole batch. */
export interface BatchOutcome {
  readonly refused: ReadonlyMap<number, readonly MessageProblem[]>;
  readonly dropped: ReadonlyMap<number, readonly MessageProblem[]>;
}

/** Sends batches. All of them pause when one fails. */
export class ImportSender {
  private readonly transport = createTransport();
  private pausedUntil = 0;
  private failures = 0;
  private progressAt = performance.now();

  constructor(private readonly options: ImportOptions) {}

  /**
   * Sends a batch until it is stored or refused.
   * @throws ImportError when key, source or size are refused, or nothing was settled for too long
   */
  async send(batch: ImportBatch): Promise<BatchOutcome> {
    for (;;) {
      for (let wait = this.wait(); wait > 0; wait = this.wait()) await sleep(wait);
      const answer = await this.trySend(batch);
      const body = parseBody(answer?.body);
      const meaning = classifyAnswer(answer);
      if (meaning === 'stored' || meaning === 'refused') {
        this.failures = 0;
        this.progressAt = performance.now();
        return readOutcome(meaning, body, batch.lines.length);
      }
      const reason = answer ? `${answer.status} ${describeProblems(body)}`.trim() : 'no answer';
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
    const retryAfterMs = parseSeconds(answer?.header('retry-after')) * 1_000;
    // Requests that fail at the same time count as one failure.
    if (this.wait() === 0) this.failures++;
    const backoffMs = Math.min(maxPauseMs, 250 * 2 ** this.failures) * (0.5 + Math.random() / 2);
    this.pausedUntil = Math.max(this.pausedUntil, performance.now() + Math.max(retryAfterMs, backoffMs));
  }

  private async trySend({ kind, key, body }: ImportBatch): Promise<HttpAnswer | undefined> {
    const { apiHost, sourceIdentifier, apiKey } = this.options;
    const origin = { host: apiHost, sourceIdentifier, kind, key };
    // The times of a file are not by the clock of this machine, so the time of sending says nothing of them.
    const { headers, ...baseRequest } = batchRequest(origin, apiKey, [], false, 0);
    const request = { ...baseRequest, headers: { ...headers, Prefer: lenient }, body };
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

type Body = Partial<Record<'rejected' | 'dropped', unknown>> | MessageProblem[] | undefined;

function parseBody(text: string | undefined): Body {
  try {
    return JSON.parse(text ?? '') as Body;
  } catch {
    return undefined;
  }
}

function readOutcome(meaning: 'stored' | 'refused', body: Body, count: number): BatchOutcome {
  if (Array.isArray(body)) {
    const refused = groupByPlace(body);
    const whole = refused.get(-1) ?? (refused.size === 0 ? [{ field: '', message: 'refused' }] : undefined);
    const places = whole ? Array.from({ length: count }, (_, index) => [index, whole] as const) : [];
    return { refused: new Map([...places, ...refused]), dropped: new Map() };
  }
  const list = (name: 'rejected' | 'dropped'): MessageProblem[] =>
    meaning === 'stored' && Array.isArray(body?.[name]) ? (body[name] as MessageProblem[]) : [];
  return { refused: groupByPlace(list('rejected')), dropped: groupByPlace(list('dropped')) };
}

/** Problems by the place of the message that they name, like `list[3].userId`. */
function groupByPlace(problems: readonly MessageProblem[]): Map<number, MessageProblem[]> {
  const places = new Map<number, MessageProblem[]>();
  for (const { field, message } of problems) {
    const [, number, name = field] = /^list\[(\d+)\]\.?(.*)$/.exec(field) ?? [];
    const place = number === undefined ? -1 : Number(number);
    places.set(place, [...(places.get(place) ?? []), { field: name, message }]);
  }
  return places;
}

const describeProblems = (body: Body): string =>
  Array.isArray(body) ? body.map(({ message }) => message).join(', ') : '';

/** Retry-After in seconds; a date or an invalid number means none. */
const parseSeconds = (text: string | null | undefined): number => Math.min(3_600, Number(text) || 0);
