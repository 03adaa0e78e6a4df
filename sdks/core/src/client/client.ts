import { type Consent } from './consent.js';
import { type Message } from '../message/message.js';

export interface CallOptions {
  readonly timestamp?: Date | string | undefined;
  readonly context?: object | undefined;
}

/** Maps names of events to their properties. */
export type EventMap = object;

/** The platform's registration for push, which every typed client may send (docs/push.md#events). */
export interface PushEvents {
  readonly notification_registered: { readonly key: string };
}

type KnownEvents<Events> = Events & Omit<PushEvents, keyof Events>;

type TrackArguments<Event> =
  // eslint-disable-next-line @typescript-eslint/no-empty-object-type -- an event that needs no property
  {} extends Event ? [properties?: Event, options?: CallOptions] : [properties: Event, options?: CallOptions];

export interface FlushResult {
  /** Messages that the service confirmed during the call. */
  readonly sent: number;
  /** Messages that are still queued. */
  readonly left: number;
}

/** No method throws. Only `flush` and `close` wait for the network. */
export interface Client<Events extends EventMap = Record<string, object>> {
  /**
   * Returns true if the event was accepted; otherwise errorHandler gets the reason. Nothing is reported after a denial
   * of consent or after `close`, and when a plugin left the event out.
   */
  track<Name extends keyof KnownEvents<Events> & string>(
    event: Name,
    ...args: TrackArguments<KnownEvents<Events>[Name]>
  ): boolean;
  identify(userId: string, traits?: object, options?: CallOptions): boolean;
  /** Forgets the user and makes a new anonymousId. The device id stays. */
  reset(): void;
  flush(): Promise<FlushResult>;
  /** Sends everything that can be sent now, then accepts nothing more. */
  close(): Promise<FlushResult>;
  consent(state: Consent): void;
  use(plugin: Plugin): void;
  readonly anonymousId: string | undefined;
  readonly userId: string | undefined;
  /** Id of the device, which `reset` keeps. */
  readonly deviceId: string | undefined;
}

/** The parts of a client that plugins get, next to those of the platform. */
export interface PluginParts {
  readonly client: Client;
  /** True if ids and messages may be stored. */
  isGranted(): boolean;
  /** Reports an error to errorHandler. */
  failed(message: string, cause?: unknown): void;
}

/** Called with each message before it is checked. Returns it, a changed message, or null to leave it out. */
export interface Plugin {
  (message: Message): Message | null;
  setup?(client: Client): void;
  /** Called when the plugin is added, and again when consent is granted or a prerendered page is shown. */
  begin?(parts: PluginParts): void;
  /** Called when the client is closed: removes the plugin's listeners and whatever else it added to its page or app. */
  end?(): void;
}
