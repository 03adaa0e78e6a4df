import {
  type CallOptions as CoreCallOptions,
  type ClientOptions,
  type EventMap,
  type FlushResult,
  type Plugin,
} from '@sluice/sdk-core';

export interface NodeOptions {
  /** If blank or undefined, like a variable that is not set, the client does nothing and reports `disabled`. */
  readonly credentials: { readonly apiKey: string | undefined; readonly sourceIdentifier: string | undefined };
  /** Host of the service, like `https://sluice.example`; blank or undefined as above. */
  readonly apiHost: string | undefined;
  /** Address of events, taken whole in place of `apiHost` and the path after it: an alias of the gateway. */
  readonly eventsPath?: string | undefined;
  /**
   * `memory`, by default: queued events end with the process. `{ directory }`: they outlive the process; several
   * processes can share the directory.
   */
  readonly storage?: 'memory' | { readonly directory: string } | undefined;
  /** Events per batch: 1 to 100, by default 100. */
  readonly flushAt?: number | undefined;
  /** Milliseconds after which a batch is sent; by default 1,000. */
  readonly flushInterval?: number | undefined;
  /** Milliseconds after its first try at which a batch is given up; by default 7 days, with a directory 30 days. */
  readonly maxAge?: number | undefined;
  /** Limits, beyond which `track` returns false; by default 100,000 messages and 64 MiB, tenfold with a directory. */
  readonly maxMessages?: number | undefined;
  readonly maxBytes?: number | undefined;
  /** Signals on which the client closes before the process ends, like `['SIGTERM', 'SIGINT']`; none by default. */
  readonly closeOn?: readonly NodeJS.Signals[] | undefined;
  readonly errorHandler?: ClientOptions['errorHandler'];
  readonly debug?: boolean | undefined;
  readonly plugins?: readonly Plugin[] | undefined;
}

/** The person that a call is about. */
export interface Person {
  readonly userId?: string | undefined;
  readonly anonymousId?: string | undefined;
}

export interface CallOptions extends CoreCallOptions, Person {}

/** The person and context of everything that is tracked within a function. */
export interface Scope extends Person {
  readonly context?: object | undefined;
}

type TrackArguments<Event> =
  Partial<Event> extends Event
    ? [properties?: Event, options?: CallOptions]
    : [properties: Event, options?: CallOptions];

export interface FlushOptions {
  /**
   * Milliseconds to wait for the service. Without a directory they are used: a pause after a failure is waited out, if
   * it ends before them, and the queue is sent then. By default `close` has 5,000, and `flush` waits for no pause.
   */
  readonly timeout?: number | undefined;
}

export type CloseOptions = FlushOptions;

/** No method throws. Only `flush`, `close` and `drained` wait. */
export interface NodeClient<Events extends EventMap = Record<string, object>> {
  /**
   * Returns true if the event was accepted; otherwise errorHandler gets the reason, unless a plugin left the event out.
   * With a directory, an accepted event outlives the process, unless `storage` was reported. The person is that of the
   * options, else that of `withContext`.
   */
  track<Name extends keyof Events & string>(event: Name, ...args: TrackArguments<Events[Name]>): boolean;
  /** Sends traits of a user. It changes no later call, because a server acts for many users. */
  identify(userId: string, traits?: object, options?: CallOptions): boolean;
  /** Runs a function, in which calls are about this person. Returns its result; works across `await`. */
  withContext<T>(scope: Scope, work: () => T): T;
  /** True if the queue is at least half full: wait for `drained`, or `track` will soon return false. */
  readonly needsDrain: boolean;
  /** Resolves at once unless `needsDrain`; else when the queue is at most a quarter full, or the client is closed. */
  drained(): Promise<void>;
  /** Sends what can be sent now, or within `timeout`. What is left stays queued. */
  flush(options?: FlushOptions): Promise<FlushResult>;
  /** Accepts nothing more, and sends what can be sent. The rest stays in the directory, or is reported as lost. */
  close(options?: FlushOptions): Promise<FlushResult>;
  use(plugin: Plugin): void;
  /** Id of the directory, or of a client without a directory. */
  readonly deviceId: string | undefined;
  [Symbol.asyncDispose](): Promise<void>;
}
