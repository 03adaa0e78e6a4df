import {
  attempt,
  type ClientOptions,
  type CoreClient,
  createCore,
  type EventMap,
  type PluginParts,
  type Ports,
  type Properties,
  readClientSettings,
} from '@sluice/sdk-core';
import { resolveAddress } from './address.js';
import { type PageParts, type WebClient, type WebOptions } from './options.js';
import { packingTransport } from './page/fetch-transport.js';
import { pageContext } from './page/page-context.js';
import { pageClock } from './page/page-clock.js';
import { PageLifecycle } from './page/page-lifecycle.js';
import { createValues } from './page/values.js';
import { uuid } from './page/uuid.js';
import { createDatabase, type Database } from './queue/database.js';
import { Journal } from './queue/journal.js';
import { createKillNote } from './queue/kill-note.js';
import { type Page } from './queue/page.js';
import { WebQueue } from './queue/web-queue.js';
import { sdk } from './version.js';

/** Options and ports of a client on a server, which is disabled. */
const disabledOptions = {} as ClientOptions & Ports;

interface RegisteredClient {
  readonly client: WebClient;
  /** Called with the options of a later call. Its name stays: other versions of this library in the page call it. */
  readonly again: (options: WebOptions) => void;
}

type Registry = Partial<Record<string, RegisteredClient>>;

/** Shared by all copies of this library in a page. */
const registryName = '__sluiceClients';

/**
 * The client of a source. The second call for a source gives the same client. On a server it does nothing.
 * @param bundleOrigin where this code was loaded from, if it is known
 */
export const createClient = findOrCreateClient as <Events extends EventMap = Record<string, Properties>>(
  options: WebOptions,
  bundleOrigin?: string,
) => WebClient<Events>;

function findOrCreateClient(optionsOrNull: WebOptions | null | undefined, bundleOrigin?: string): WebClient {
  const options = optionsOrNull ?? ({} as WebOptions);
  if (typeof document === 'undefined') return createCore(disabledOptions, disabledOptions);
  const clients = ((globalThis as { [registryName]?: Registry })[registryName] ??= {});
  // Configurations from JSON have blanks and nulls for addresses that are left out.
  const apiPath = resolveAddress(options.host?.apiPath, bundleOrigin ?? location.origin);
  const eventsPath = resolveAddress(options.host?.eventsPath, '');
  const { apiKey, sourceIdentifier, host } = readClientSettings({ ...options, host: apiPath });
  const name = `${sourceIdentifier} ${host}`;
  const registered = clients[name];
  if (registered) {
    registered.again(options);
    return registered.client;
  }
  const core = createCore({ ...options, host, eventsPath }, createPorts(options, { apiKey, sourceIdentifier }, host));
  const close = core.close.bind(core);
  const client = Object.assign(core, {
    close: () => {
      if (clients[name]?.client === client) clients[name] = undefined;
      return close();
    },
  });
  // A client without credentials leaves the place to one that has them.
  if (apiKey && sourceIdentifier) clients[name] = { client, again: handleSecondCall(client, options) };
  return client;
}

/** Handles a second call for the same source: applies a stricter consent, and reports options that differ. */
const handleSecondCall =
  (client: CoreClient, first: WebOptions) =>
  (next: WebOptions): void => {
    client.restrict(next.consent ?? 'granted');
    const differing = differingOptions(first, next);
    if (!differing) return;
    const message = `a second createClient gives the first client, without ${differing}`;
    for (const handler of new Set([next.errorHandler, first.errorHandler])) {
      attempt(() => handler?.({ code: 'invalid', message }));
    }
    if (first.debug || next.debug) console.debug('sluice:', message);
  };

/** Names of the options that differ in the second call. Functions differ at each call, so they are not compared. */
function differingOptions(first: WebOptions, next: WebOptions): string {
  const toJson = (value: unknown): unknown => attempt(() => JSON.stringify(value ?? null));
  const names = Object.keys(next) as (keyof WebOptions)[];
  const isDifferent = (name: keyof WebOptions): boolean =>
    typeof next[name] !== 'function' && toJson(next[name]) !== toJson(first[name]);
  return names.filter(isDifferent).join(', ');
}

function createPorts({ storage, values }: WebOptions, credentials: WebOptions['credentials'], host: string): Ports {
  const source = credentials.sourceIdentifier;
  const database = createDatabase(() => (storage === 'memory' ? undefined : indexedDB));
  const lifecycle = new PageLifecycle(`sluice.${source}`, uuid(), (isHidden) => {
    database.letGo(isHidden);
    stores.letGo?.();
  });
  const stores: WebStores = storage === 'memory' ? { ports: {} } : createStores(source, values, database, lifecycle);
  const parts: Omit<PageParts, keyof PluginParts> = { database, host, credentials };
  return {
    sdk,
    clock: pageClock,
    random: { fraction: Math.random, uuid },
    ...stores.ports,
    transport: packingTransport,
    lifecycle,
    ready: activation(),
    context: pageContext,
    parts,
    log: (text) => console.debug('sluice:', text),
  };
}

interface WebStores {
  readonly ports: Partial<Ports>;
  /** Called when the page leaves or comes back, and when the client ends. */
  readonly letGo?: () => void;
}

function createStores(source: string, wrapValues: WebOptions['values'], database: Database, page: Page): WebStores {
  const storage = attempt(() => localStorage);
  const ownValues = storage && createValues(source, storage);
  const values = wrapValues ? wrapValues(ownValues, source) : ownValues;
  if (!storage) return { ports: { values, queue: new WebQueue(undefined, database, page) } };
  const note = createKillNote(storage, source, page);
  const queue = new WebQueue(new Journal(storage), database, page, note);
  return {
    ports: { values, queue, unsaved: note.write, lostBefore: note.lostBefore },
    letGo: note.removeIfEmpty,
  };
}

/** Resolves when a prerendered page is shown, which may never happen. Undefined if the page is not prerendered. */
const activation = (): Promise<unknown> | undefined =>
  (document as { prerendering?: boolean }).prerendering
    ? new Promise((resolve) => document.addEventListener('prerenderingchange', resolve))
    : undefined;
