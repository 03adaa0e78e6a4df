import {
  type Client,
  type ClientOptions,
  type EventMap,
  type KeyValueStore,
  type Plugin,
  type PluginParts,
  type Properties,
} from '@sluice/sdk-core';
import { type Database } from './queue/database.js';

export interface Host {
  /** Base address of events: a URL, or a path of the page's origin. By default the bundle's origin, else the page's. */
  readonly apiPath?: string | undefined;
  /** Address of events, or a path of the page's origin, taken whole in place of `apiPath`: an alias of the gateway. */
  readonly eventsPath?: string | undefined;
  /** Address from which the snippet loads the bundle. */
  readonly sdkPath?: string | undefined;
  /** Base of the ad requests (`@sluice/web/ads`); `apiPath` if left out. */
  readonly rtbPath?: string | undefined;
  /** Accepted, and not used yet. */
  readonly metricPath?: string | undefined;
}

/** Parts of the page that a plugin may use. */
export interface PageParts extends PluginParts {
  readonly database: Database;
  readonly host: string;
  readonly credentials: WebOptions['credentials'];
}

export interface WebPlugin extends Plugin {
  begin?(parts: PageParts): void;
}

export interface WebOptions extends Omit<
  ClientOptions,
  'plugins' | 'host' | 'eventsPath' | 'maxMessages' | 'maxBytes' | 'maxBatchBytes'
> {
  readonly host?: Host | undefined;
  readonly plugins?: readonly WebPlugin[] | undefined;
  /** Wraps the store of the ids: `sharedCookie` of the plugins shares them with other subdomains. */
  readonly values?: ((ownValues: KeyValueStore | undefined, sourceIdentifier: string) => KeyValueStore) | undefined;
  /** `memory` leaves localStorage, IndexedDB and cookies alone: unsent messages end with the page. */
  readonly storage?: 'persistent' | 'memory' | undefined;
}

export interface WebClient<Events extends EventMap = Record<string, Properties>> extends Client<Events> {
  use(plugin: WebPlugin): void;
}
