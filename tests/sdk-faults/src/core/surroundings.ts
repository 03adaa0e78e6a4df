import { type MemoryQueue } from '@sluice/sdk-contract';
import { type Around } from '../run/platform.js';
import { type ScaledClock } from './scaled-clock.js';

/** Parts that all devices share: the service, the clock, randomness, and the books. */
export interface Surroundings {
  readonly clock: ScaledClock;
  readonly host: string;
  readonly credentials: Around['stack']['source'];
  readonly mutant: string | undefined;
  readonly random: () => number;
  readonly fault: (name: string) => void;
  newId(purpose: string): string;
  reported(code: string, count: number): void;
  /**
   * Enters the messages of a client that has ended into the books.
   * @param unkept numbers that were only in its memory, which may be lost
   */
  ended(stream: string, takenCount: number, unkept: ReadonlySet<number>): void;
}

/** Parts that the tabs of one device share. */
export interface SharedByTabs {
  readonly fleet: Surroundings;
  readonly queue: MemoryQueue;
  readonly values: Map<string, string>;
  readonly skewMs: number;
}
