import {
  attempt,
  type ClientOptions,
  createCore,
  type EventMap,
  type PluginParts,
  type Ports,
  type Properties,
  settingsOf,
} from '@sluice/sdk-core';
import { adRequests } from './ads.js';
import { type PageParts, type WebClient, type WebOptions } from './options.js';
import { fetchTransport } from './page/fetch-transport.js';
import { pageContext } from './page/page-context.js';
import { pageClock } from './page/page-clock.js';
import { createLifecycle } from './page/page-lifecycle.js';
import { createValues } from './page/values.js';
import { uuid } from './page/uuid.js';
import { createDatabase, type Database } from './queue/database.js';
import { createJournal } from './queue/journal.js';
import { createQueue, type Page } from './queue/web-queue.js';
import { sdk } from './version.js';

/** Options and ports of a client on a server, which is disabled. */
const nothing = {} as ClientOptions & Ports;

type Registry = Partial<Record<string, WebClient>>;

/** Shared by all copies of this library in a page. */
const registryName = '__sluice';

/**
 * The client of a source. The second call for a source gives the same client. On a server it does nothing.
 * @param bundleOrigin where this code was loaded from, if it is known
 */
export const createClient = clientOf as <Events extends EventMap = Record<string, Properties>>(
  options: WebOptions,
  bundleOrigin?: string,
) => WebClient<Events>;

function clientOf(options = {} as WebOptions, bundleOrigin?: string): WebClient {
  if (typeof document === 'undefined') return Object.assign(createCore(nothing, nothing), adRequests(''));
  const clients = ((globalThis as { [registryName]?: Registry })[registryName] ??= {});
  const { apiPath = bundleOrigin ?? location.origin, rtbPath = apiPath } = options.host ?? {};
  const { apiKey, sourceIdentifier, host } = settingsOf({ ...options, host: urlOf(apiPath) });
  const name = `${sourceIdentifier} ${host}`;
  const known = clients[name];
  if (known) return known;
  const core = createCore({ ...options, host }, portsOf(options, { apiKey, sourceIdentifier }, host));
  const close = core.close.bind(core);
  const client = Object.assign(core, adRequests(urlOf(rtbPath)), {
    close: () => {
      if (clients[name] === client) clients[name] = undefined;
      return close();
    },
  });
  // A client without credentials leaves the place to one that has them.
  if (apiKey && sourceIdentifier) clients[name] = client;
  return client;
}

/** A path is one of this page's origin. */
const urlOf = (path: string): string => (path.startsWith('/') ? location.origin + path : path).replace(/\/+$/, '');

function portsOf({ storage, values }: WebOptions, credentials: WebOptions['credentials'], host: string): Ports {
  const source = credentials.sourceIdentifier;
  const database = createDatabase(() => (storage === 'memory' ? undefined : indexedDB));
  const lifecycle = createLifecycle(`sluice.${source}`, uuid(), database.letGo);
  const parts: Omit<PageParts, keyof PluginParts> = { database, host, credentials };
  return {
    sdk,
    clock: pageClock,
    random: { fraction: Math.random, uuid },
    ...(storage !== 'memory' && storesOf(source, values, database, lifecycle)),
    transport: fetchTransport,
    lifecycle,
    ready: activation(),
    context: pageContext,
    parts,
    log: (text) => {
      console.debug('sluice:', text);
    },
  };
}

function storesOf(source: string, wrap: WebOptions['values'], database: Database, page: Page): Partial<Ports> {
  const storage = attempt(() => localStorage);
  const values = storage && createValues(source, storage);
  return {
    values: wrap ? wrap(values, source) : values,
    queue: createQueue(storage && createJournal(storage), database, page),
  };
}

/** Resolves when a prerendered page is shown: it may never be. Undefined if it is shown. */
const activation = (): Promise<unknown> | undefined =>
  (document as { prerendering?: boolean }).prerendering
    ? new Promise((resolve) => {
        document.addEventListener('prerenderingchange', resolve);
      })
    : undefined;
