import { type Random } from '@sluice/testing';

/** A request under way. It may reach its server or not, and its answer may arrive or not, each at any time. */
interface Request {
  /** The work of the server. It throws the error that it answers. */
  readonly serve: () => unknown;
  /** Says whether the answer can be sent yet. */
  readonly isDue: (answer: unknown) => boolean;
  readonly resolve: (answer: unknown) => void;
  readonly reject: (error: unknown) => void;
  outcome?: { answer: unknown } | { error: unknown };
  isWaitedFor: boolean;
  /** Number of times that the request is passed over before it reaches its server. */
  delay: number;
}

/** All requests and pauses of all processes. They go on only by calls of `advance`. */
export class Network {
  private readonly requests = new Set<Request>();
  private readonly pauses = new Set<() => void>();

  /** @param maxDelay of a request whose sender has given up */
  constructor(public maxDelay = 0) {}

  send<T>(serve: () => T, isDue: (answer: T) => boolean = () => true): Promise<T> {
    return new Promise((resolve, reject) => {
      this.requests.add({
        serve,
        isDue: isDue as Request['isDue'],
        resolve: resolve as Request['resolve'],
        reject,
        isWaitedFor: true,
        delay: 0,
      });
    });
  }

  pause(signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const elapse = () => {
        this.pauses.delete(elapse);
        resolve();
      };
      this.pauses.add(elapse);
      signal?.addEventListener('abort', () => {
        this.pauses.delete(elapse);
        reject(new Error('aborted'));
      });
    });
  }

  /** True when no process waits for an answer, so none is between a look-up and the INSERT that follows from it. */
  get isIdle(): boolean {
    return this.requests.size === 0;
  }

  /** True when no request is under way that could still reach a server. */
  get isQuiet(): boolean {
    return [...this.requests].every(({ outcome }) => outcome !== undefined);
  }

  /** Advances one request or ends one pause. False when there are none. */
  advance(random: Random, lossShare: number): boolean {
    const events = [...this.requests, ...this.pauses];
    if (events.length === 0) return false;
    const event = random.pick(events);
    if (typeof event === 'function') event();
    else this.advanceRequest(event, random, lossShare);
    return true;
  }

  private advanceRequest(request: Request, random: Random, lossShare: number): void {
    if (request.delay > 0) request.delay -= 1;
    else if (random.chance(lossShare)) this.lose(request, random);
    else if (request.outcome === undefined) request.outcome = serve(request);
    else if (!('answer' in request.outcome) || request.isDue(request.outcome.answer)) {
      this.requests.delete(request);
      if ('answer' in request.outcome) request.resolve(request.outcome.answer);
      else request.reject(request.outcome.error);
    }
  }

  /** The sender gets no answer. A request that was not served yet may be served late, or never. */
  private lose(request: Request, random: Random): void {
    if (request.isWaitedFor) request.reject(new Error('no answer'));
    request.isWaitedFor = false;
    if (this.maxDelay > 0) request.delay = random.below(this.maxDelay);
    if (request.outcome !== undefined || random.chance(0.5)) this.requests.delete(request);
  }
}

function serve({ serve: work }: Request): NonNullable<Request['outcome']> {
  try {
    return { answer: work() };
  } catch (error) {
    return { error };
  }
}
