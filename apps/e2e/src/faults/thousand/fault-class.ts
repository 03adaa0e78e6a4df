import { type Random } from './random.js';
import { type Stage } from './stage.js';
import { type StreamName } from './stream.js';

/** Upper bound of the harm of a fault. Faults of one scope share a window and spare the same streams. */
export type Scope = 'events' | 'partitions' | 'tracking' | 'everything' | 'stored bytes';

/** The scopes whose faults have a window each. */
export const isAlone = (scope: Scope): boolean => scope === 'stored bytes' || scope === 'partitions';

/** The streams that a scope spares: they go on as if nothing were. */
export const sparedBy: Readonly<Record<Scope, readonly StreamName[]>> = {
  events: ['identify', 'general', 'interaction'],
  // A repeat that comes to another partition than its message may be stored before it; see decision 28.
  partitions: ['identify', 'general', 'interaction'],
  tracking: ['general', 'interaction'],
  everything: [],
  // Acknowledged bytes are destroyed, so each has a window of its own, with no load but its own.
  'stored bytes': [],
};

/** One harm at a time is done to each. */
export type Resource = 'consumers' | 'tracking proxy' | 'table' | 'topic' | 'letters' | 'brokers' | 'clickhouse';

export interface FaultClass {
  readonly name: string;
  readonly scope: Scope;
  readonly takes: readonly Resource[];
  /** Relative frequency among the classes of its scope. */
  readonly weight: number;
  /** Upper bound of such faults in a run. */
  readonly most?: number;
  /** Why no alert can fire before it destroys acknowledged bytes. */
  readonly unforetold?: string;
  /** Returns the reason why it cannot be done here. */
  readonly unable?: (stage: Stage) => string | undefined;
  /** Does and undoes the harm. Reports messages destroyed for good to the stage. */
  readonly harm: (stage: Stage, random: Random) => Promise<void>;
}
