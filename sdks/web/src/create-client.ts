import {
  attempt,
  type ClientOptions,
  type Consent,
  createCore,
  type EventMap,
  type PluginParts,
  type Ports,
  type Properties,
  type QueueStore,
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
import { createKillNote } from './queue/kill-note.js';
import { createQueue, type Page } from './queue/web-queue.js';
import { sdk } from './version.js';

/** Options and ports of a client on a server, which is disabled. */
const nothing = {} as ClientOptions & Ports;

interface Registered {
  readonly client: WebClient;
  /** Called with the options of a later call. */
  readonly again: (options: WebOptions) => void;
}

type Registry = Partial<Record<string, Registered>>;

/** Shared by all copies of this library in a page. */
const registryName = '__sluiceClients';

/**
 * The client of a source. The second call for a source gives the same client. On a server it does nothing.
 * @param bundleOrigin where this code was loaded from, if it is known
 */
export const createClient = clientOf as <Events extends EventMap = Record<string, Properties>>(
  options: WebOptions,
  bundleOrigin?: string,
) => WebClient<Events>;

function clientOf(given: WebOptions | null | undefined, bundleOrigin?: string): WebClient {
  const options = given ?? ({} as WebOptions);
  if (typeof document === 'undefined') return Object.assign(createCore(nothing, nothing), adRequests(''));
  const clients = ((globalThis as { [registryName]?: Registry })[registryName] ??= {});
  // Configurations from JSON have blanks and nulls for what is left out.
  const apiPath = pathOf(options.host?.apiPath, bundleOrigin ?? location.origin);
  const rtbPath = pathOf(options.host?.rtbPath, apiPath);
  const eventsPath = urlOf(pathOf(options.host?.eventsPath, ''));
  const { apiKey, sourceIdentifier, host } = settingsOf({ ...options, host: urlOf(apiPath) });
  const name = `${sourceIdentifier} ${host}`;
  const known = clients[name];
  if (known) {
    known.again(options);
    return known.client;
  }
  const core = createCore({ ...options, host, eventsPath }, portsOf(options, { apiKey, sourceIdentifier }, host));
  const close = core.close.bind(core);
  const client = Object.assign(core, adRequests(urlOf(rtbPath)), {
    close: () => {
      if (clients[name]?.client === client) clients[name] = undefined;
      return close();
    },
  });
  // A client without credentials leaves the place to one that has them.
  if (apiKey && sourceIdentifier) clients[name] = { client, again: againOn(client, options) };
  return client;
}

const strictness: readonly (Consent | undefined)[] = ['granted', 'pending', 'denied'];

/** What a second call for the same source does: it obeys a stricter consent, and reports options that differ. */
const againOn =
  (client: WebClient, first: WebOptions) =>
  (next: WebOptions): void => {
    const consent = next.consent ?? 'granted';
    if (strictness.indexOf(consent) > strictness.indexOf(first.consent ?? 'granted')) client.consent(consent);
    const differing = differingOptions(first, next);
    if (!differing) return;
    const message = `createClient was called before for this source: it gives the first client, without ${differing}`;
    for (const handler of new Set([next.errorHandler, first.errorHandler])) {
      attempt(() => handler?.({ code: 'invalid', message }));
    }
    if (first.debug || next.debug) console.debug('sluice:', message);
  };

/** Names of the options that the second call gives otherwise. Functions are other ones at each call. */
function differingOptions(first: WebOptions, next: WebOptions): string {
  const text = (value: unknown): unknown => attempt(() => JSON.stringify(value ?? null));
  const names = Object.keys(next) as (keyof WebOptions)[];
  const isOther = (name: keyof WebOptions): boolean =>
    name === 'plugins'
      ? (next.plugins?.length ?? 0) !== (first.plugins?.length ?? 0)
      : typeof next[name] !== 'function' && text(next[name]) !== text(first[name]);
  return names.filter(isOther).join(', ');
}

const pathOf = (given: unknown, usual: string): string =>
  typeof given === 'string' && given.trim() ? given.trim() : usual;

/** A path is one of this page's origin. */
const urlOf = (path: string): string => (path.startsWith('/') ? location.origin + path : path).replace(/\/+$/, '');

function portsOf({ storage, values }: WebOptions, credentials: WebOptions['credentials'], host: string): Ports {
  const source = credentials.sourceIdentifier;
  const database = createDatabase(() => (storage === 'memory' ? undefined : indexedDB));
  const lifecycle = createLifecycle(`sluice.${source}`, uuid(), (isUnreachable) => {
    database.letGo(isUnreachable);
    stores.letGo?.();
  });
  const stores: WebStores = storage === 'memory' ? { ports: {} } : storesOf(source, values, database, lifecycle);
  const parts: Omit<PageParts, keyof PluginParts> = { database, host, credentials };
  return {
    sdk,
    clock: pageClock,
    random: { fraction: Math.random, uuid },
    ...stores.ports,
    transport: fetchTransport,
    lifecycle,
    ready: activation(),
    context: pageContext,
    parts,
    log: (text) => console.debug('sluice:', text),
  };
}

interface WebStores {
  readonly ports: Partial<Ports>;
  /** Called when the page leaves or the client ends. */
  readonly letGo?: () => void;
}

function storesOf(source: string, wrap: WebOptions['values'], database: Database, page: Page): WebStores {
  const storage = attempt(() => localStorage);
  const own = storage && createValues(source, storage);
  const values = wrap ? wrap(own, source) : own;
  const queue = createQueue(storage && createJournal(storage), database, page);
  if (!storage) return { ports: { values, queue } };
  const note = createKillNote(storage, source, page);
  const append: QueueStore['append'] = (batch, index, text) => {
    note.prepare();
    return queue.append(batch, index, text);
  };
  const clear = (): ReturnType<QueueStore['clear']> => {
    note.remove();
    return queue.clear();
  };
  const { write, lostBefore } = note;
  return {
    ports: { values, queue: { ...queue, append, clear }, unsaved: write, lostBefore },
    letGo: note.removeIfEmpty,
  };
}

/** Resolves when a prerendered page is shown: it may never be. Undefined if it is shown. */
const activation = (): Promise<unknown> | undefined =>
  (document as { prerendering?: boolean }).prerendering
    ? new Promise((resolve) => document.addEventListener('prerenderingchange', resolve))
    : undefined;
