import { type Clock, type HttpAnswer } from '../ports/ports.js';

/** The service's time by the `Date` of its answers. The device's clock proves nothing: users and repairs change it. */
export class ServiceClock {
  readonly #clock: Clock;
  /** The service's time at the start of the monotonic clock. */
  #start: number | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Reads the `Date` of an answer of the service. */
  set(answer: HttpAnswer | undefined): void {
    const date = Date.parse(answer?.header('date') ?? '');
    if (date) this.#start = date - this.#clock.monotonic();
  }

  /** The service's time at a moment of the monotonic clock; 0 before the first `Date`. */
  at(moment: number): number {
    return this.#start === undefined ? 0 : Math.round(this.#start + moment);
  }
}
