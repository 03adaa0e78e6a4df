import { setImmediate } from 'node:timers/promises';
import { type Clock, type HttpAnswer, type HttpRequest, type SluiceError, type Transport } from '@sluice/sdk-core';
import { FakeClock } from '../fake-clock.js';
import { type Answer } from '../vector.js';

const start = Date.parse('2026-01-31T12:00:00.000Z');

/** Environment of the client of one vector: its clock, random numbers, network and service. */
export class CatalogWorld {
  readonly clock = new FakeClock(start, () => this.settle());
  readonly requests: HttpRequest[] = [];
  readonly reports: SluiceError[] = [];
  readonly answers: Answer[] = [];
  private readonly fractions: number[];
  private keys = 0;
  /** Ends the requests that hang. */
  private readonly aborts = new Set<() => void>();

  constructor(random: readonly number[]) {
    this.fractions = [...random];
  }

  /** Waits until nothing is left but timers and requests that hang. */
  async settle(): Promise<void> {
    await setImmediate();
    await setImmediate();
  }

  surroundings(): VectorSurroundings {
    const { clock } = this;
    return {
      clock: {
        now: () => clock.now(),
        monotonic: () => clock.monotonic(),
        later: (ms, work) => clock.later(ms, work),
      },
      random: { fraction: () => this.fractions.shift() ?? 0.5, uuid: () => `key-${++this.keys}` },
      transport: {
        send: (request) => this.send(request),
        end: () => {
          for (const abort of this.aborts) abort();
        },
      },
    };
  }

  private send(request: HttpRequest): ReturnType<Transport['send']> {
    this.requests.push(request);
    const answer = this.answers.shift() ?? 'queued';
    return { answer: answer === 'hang' ? this.hang() : respond(answer), abort: () => undefined };
  }

  private hang(): Promise<never> {
    return new Promise((_, reject) => this.aborts.add(() => reject(new TypeError('aborted'))));
  }
}

export interface VectorSurroundings {
  readonly clock: Clock;
  readonly random: { fraction(): number; uuid(): string };
  readonly transport: Transport & { end(): void };
}

function respond(answer: Exclude<Answer, 'hang'>): Promise<HttpAnswer> {
  if (answer === 'cut-before' || answer === 'cut-after') return Promise.reject(new TypeError('no answer'));
  const { status, headers = {}, body } = answer === 'queued' ? { status: 200 } : answer;
  const standard = status === 200 ? { status: 'QUEUED' } : [{ field: '', message: 'error.of.the.vector' }];
  const text = typeof body === 'string' ? body : JSON.stringify(body ?? standard);
  return Promise.resolve({ status, body: text, header: (name) => headers[name] ?? null });
}
