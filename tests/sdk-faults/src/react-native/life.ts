export const appEventName = 'app_faults';

/** `new-key`: each try has a key of its own. `forgetful`: the store drops some writes and says nothing. */
export const appMutants = ['new-key', 'forgetful'] as const;

/** Arguments of an app process. */
export interface AppLife {
  readonly folder: string;
  readonly isAsync: boolean;
  readonly host: string;
  readonly credentials: { readonly apiKey: string; readonly sourceIdentifier: string };
  /** Name of the run, and of this process in it. */
  readonly run: string;
  readonly tab: string;
  readonly seed: number;
  /** Factor by which time passes faster, since this moment of the machine's clock. */
  readonly speed: number;
  readonly since: number;
  readonly mutant: string | undefined;
}

/** Commands on the standard input of an app process, one a line. */
export type AppCommand = 'background' | 'active' | 'online' | 'full' | 'works' | 'calm';

/**
 * Lines on its standard output. They are written synchronously: a kill takes none back.
 * `T` numbers of messages that are promised, `R` of messages that only memory may have, `E` code and count of a report,
 * `L` messages that wait.
 */
export type AppLine = `T ${string}` | `R ${string}` | `E ${string} ${number}` | `L ${number}` | 'ready';
