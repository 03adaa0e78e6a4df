import { type Client, type ClientOptions, type EventMap, type Plugin, type PluginParts } from '@sluice/sdk-core';
import { type NetworkSource } from './app/app-lifecycle.js';
import { type NativeParts } from './native/native-parts.js';
import { type NotificationAdapter, type NotificationInteraction } from './push/notification-adapter.js';
import { type Notifications } from './push/notifications.js';
import { type Storage } from './storage/storage.js';

/** If one is blank or undefined, as an unset variable is, the client does nothing and reports `disabled`. */
export interface Credentials {
  readonly apiKey: string | undefined;
  readonly sourceIdentifier: string | undefined;
}

export interface AppParts extends PluginParts {
  readonly native: NativeParts;
}

export interface AppPlugin extends Plugin {
  begin?(parts: AppParts): void;
}

export interface ReactNativeOptions extends Omit<ClientOptions, 'credentials' | 'host' | 'plugins'> {
  /** Credentials of the app's source on Android. */
  readonly android?: Credentials | undefined;
  /** Credentials of the app's source on iOS. */
  readonly ios?: Credentials | undefined;
  /** Host of the service; there is no default. Blank or undefined has the effect of blank credentials. */
  readonly apiHost: string | undefined;
  /** The app package, which registrations of push tokens name: `com.example.shop`. */
  readonly packageName?: string | undefined;
  /** Store of messages and ids; null keeps them in memory, until the app ends. */
  readonly storage: Storage | null;
  /** Shows notifications and hears what becomes of them. */
  readonly notifications?: NotificationAdapter | undefined;
  /**
   * Called with each interaction. Returns true, or a promise of it, if the app opens the target itself; otherwise the
   * SDK does.
   */
  readonly onInteraction?: ((interaction: NotificationInteraction) => unknown) | undefined;
  /** NetInfo, or an object with its `addEventListener`: waits are shortened when the network comes back. */
  readonly network?: NetworkSource | undefined;
  /** More context, such as values of expo-device, expo-application or react-native-device-info. */
  readonly context?: object | (() => object) | undefined;
  /** A source of ids that is better than the engine's, such as that of expo-crypto. */
  readonly randomUUID?: (() => string) | undefined;
  readonly plugins?: readonly AppPlugin[] | undefined;
}

export interface ReactNativeClient<Events extends EventMap = Record<string, object>> extends Client<Events> {
  use(plugin: AppPlugin): void;
  /** Registers the push token of this device. Returns true if the registration was queued. */
  setDeviceToken(token: string): boolean;
  readonly notifications: Notifications;
  /**
   * Resolves when the store has answered for everything that was tracked before; true if all of it is stored or sent.
   * With a synchronous store, `track` is enough.
   */
  saved(): Promise<boolean>;
}
