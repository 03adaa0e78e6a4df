import { type Books, type Risk } from '../ledger/books.js';
import { type StoredRows } from '../ledger/stored-rows.js';
import { type FaultProxy } from '../proxy/fault-proxy.js';
import { type FaultKind } from './kinds.js';
import { type FaultCommand, type FaultRunOptions } from './options.js';
import { type FaultStack } from './stack.js';

/** Parts of a run that it gives to the clients of a platform. */
export interface Around {
  readonly options: FaultRunOptions;
  readonly stack: FaultStack;
  readonly proxy: FaultProxy;
  /** Name of the run in its messages. */
  readonly run: string;
  readonly beganAt: number;
  readonly books: Books;
  readonly random: () => number;
  /** Counts a fault. */
  readonly fault: (name: string) => void;
}

/** Messages that no file had when they were taken; `silent` without a report to errorHandler. */
export interface Unwritten {
  readonly reported: number;
  readonly silent: number;
}

/** The clients of a run, on all their devices. */
export interface Clients {
  /** Lets them live and meet the faults of their devices. */
  live(isOver: () => boolean): Promise<unknown>;
  /** Ends the faults of the devices. From now on clients only send what they have. */
  calmDown(): Promise<unknown>;
  /** The number of devices or batches that still wait. Clients send what they can. */
  waiting(): number | Promise<number>;
  /** A line for each device or batch that still waits. */
  waitingInWords(): readonly string[];
  /** Enters into the books what clients wrote into files of their own. */
  account?(): Unwritten;
  stop(): Promise<void>;
}

/** The kind of clients that a run is about. */
export interface Platform {
  readonly command: FaultCommand;
  /** Kinds of faults that the run never draws. */
  readonly notDrawn: readonly FaultKind[];
  readonly words: Words;
  /** Messages of one client that may be stored although it did not note them. By default any number. */
  readonly maxUnnoted?: number;
  start(around: Around): Promise<Clients>;
  /** Lets requests meet faults of the service until the run is over. */
  injectServiceFaults(around: Around, isOver: () => boolean): Promise<void>;
  readRows(around: Around): Promise<StoredRows>;
  /** A line for each message that is stored twice. */
  doublesInWords?(around: Around): Promise<readonly string[]>;
}

/** Words of the report. */
export interface Words {
  readonly clients: string;
  /** Noun of the things that wait at the end, in the plural. */
  readonly waiting: string;
  /** Why messages may be missing, for each risk that the platform has. */
  readonly lost: Readonly<Partial<Record<Exclude<Risk, 'none'>, string>>>;
}
