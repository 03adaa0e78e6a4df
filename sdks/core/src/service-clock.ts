import { type Clock, type HttpAnswer } from './ports.js';

/** The service's time as its answers say it. The device's clock proves nothing: users and repairs change it. */
export interface ServiceClock {
  /** Reads the `Date` of an answer of the service. */
  hear(answer: HttpAnswer | undefined): void;
  /** The service's time at a moment of the monotonic clock; 0 before the first `Date`. */
  at(moment: number): number;
}

export function createServiceClock(clock: Clock): ServiceClock {
  /** The service's time at the start of the monotonic clock. */
  let start: number | undefined;
  return {
    hear(answer) {
      const date = Date.parse(answer?.header('date') ?? '');
      if (date) start = date - clock.monotonic();
    },
    at: (moment) => (start === undefined ? 0 : Math.round(start + moment)),
  };
}
