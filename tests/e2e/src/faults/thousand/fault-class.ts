import { type Random } from '@sluice/testing';
import { type Stage } from './stage.js';
import { type StreamName } from './stream.js';

/** The most that a fault affects. Faults of one scope spare the same streams and, unless `isAlone`, share windows. */
export type FaultScope = 'events' | 'partitions' | 'tracking' | 'everything' | 'stored bytes';

/** True if every fault of the scope has its own window. */
export const isAlone = (scope: FaultScope): boolean => scope === 'stored bytes' || scope === 'partitions';

/** Streams that a scope must not affect at all. */
export const sparedBy: Readonly<Record<FaultScope, readonly StreamName[]>> = {
  events: ['identify', 'general', 'interaction'],
  // A repeat can be stored before its message if they are in different partitions; see decision 28.
  partitions: ['identify', 'general', 'interaction'],
  tracking: ['general', 'interaction'],
  everything: [],
  // Each fault destroys acknowledged bytes, so it has its own window without other load.
  'stored bytes': [],
};

/** Something that only one fault at a time can affect. */
export type Resource = 'consumers' | 'tracking proxy' | 'table' | 'topic' | 'letters' | 'brokers' | 'clickhouse';

export interface FaultClass {
  readonly name: string;
  readonly scope: FaultScope;
  readonly takes: readonly Resource[];
  /** Relative frequency among the classes of its scope. */
  readonly weight: number;
  /** Maximal number of such faults in a run. */
  readonly maxCount?: number;
  /** Why no alert can fire before it destroys acknowledged bytes. */
  readonly unannounced?: string;
  /** Returns the reason if the fault is impossible on this machine. */
  readonly unable?: (stage: Stage) => string | undefined;
  /** Injects the fault and reverts it. Reports permanently destroyed messages to the stage. */
  readonly inject: (stage: Stage, random: Random) => Promise<void>;
}
