import { type Client, type ClientOptions, type EventMap, type Plugin, type Properties } from '@sluice/sdk-core';

export interface Host {
  /** Where events go: an origin, or a path of this page's origin. The bundle's origin if left out, else the page's. */
  readonly apiPath?: string | undefined;
  /** Where the snippet loads the bundle from. */
  readonly sdkPath?: string | undefined;
  /** Base of the ad requests; `apiPath` if left out. */
  readonly rtbPath?: string | undefined;
  /** Accepted, and not used yet. */
  readonly metricPath?: string | undefined;
}

export interface WebOptions extends Omit<ClientOptions, 'host' | 'maxMessages' | 'maxBytes' | 'maxBatchBytes'> {
  readonly host?: Host | undefined;
  readonly plugins?: readonly Plugin[] | undefined;
  /** `memory` leaves localStorage, IndexedDB and cookies alone: what was not sent ends with the page. */
  readonly storage?: 'persistent' | 'memory' | undefined;
}

export interface WebClient<Events extends EventMap = Record<string, Properties>> extends Client<Events> {
  /** Asks for an ad; null when there is none, or no answer. */
  requestAd(body: object): Promise<unknown>;
  requestSponsoredAd(body: object): Promise<unknown>;
}
