import {
  type Consent,
  createCore,
  type EventMap,
  type KeyValueStore,
  type Ports,
  type Properties,
  type SluiceError,
} from '@sluice/sdk-core';
import { requestAd } from './ads.js';
import { type WebClient, type WebOptions } from './options.js';
import { fetchTransport } from './page/fetch-transport.js';
import { pageContext } from './page/page-context.js';
import { PageLifecycle } from './page/page-lifecycle.js';
import { attempt, PageValues } from './page/values.js';
import { uuid } from './page/uuid.js';
import { Database } from './queue/database.js';
import { Journal } from './queue/journal.js';
import { WebQueue } from './queue/web-queue.js';
import { sdk } from './version.js';

type Registry = Partial<Record<string, WebClient>>;

/** Shared by all copies of this library in a page. */
const registryName = '__sluice';

/**
 * The client of a source. The second call for a source gives the same client. On a server it does nothing.
 * @param bundleOrigin where this code was loaded from, if it is known
 */
export function createClient<Events extends EventMap = Record<string, Properties>>(
  options: WebOptions,
  bundleOrigin?: string,
): WebClient<Events> {
  if (typeof document === 'undefined') return disabled() as WebClient<Events>;
  const clients = ((globalThis as { [registryName]?: Registry })[registryName] ??= {});
  const origin = bundleOrigin ?? location.origin;
  const host = urlOf(options.host?.apiPath ?? origin);
  const { apiKey, sourceIdentifier } = (options as Partial<WebOptions>).credentials ?? {};
  const name = `${sourceIdentifier ?? ''} ${host}`;
  const known = clients[name];
  if (known) return known as unknown as WebClient<Events>;
  const client = pageClient(options, host, urlOf(options.host?.rtbPath ?? host), () => {
    clients[name] = undefined;
  });
  // A client without credentials leaves the place to one that has them.
  if (apiKey && sourceIdentifier) clients[name] = client;
  return client as unknown as WebClient<Events>;
}

/** A path is one of this page's origin. */
const urlOf = (path: string): string => (path.startsWith('/') ? location.origin + path : path).replace(/\/+$/, '');

function disabled(): unknown {
  const none = { credentials: { apiKey: '', sourceIdentifier: '' }, host: '' };
  const client = createCore(none, { random: { uuid: () => '' } } as unknown as Ports);
  return Object.assign(client, {
    requestAd: () => Promise.resolve(null),
    requestSponsoredAd: () => Promise.resolve(null),
  });
}

function pageClient(options: WebOptions, host: string, rtb: string, onClose: () => void): WebClient {
  const isInMemory = options.storage === 'memory';
  const storage = isInMemory ? undefined : attempt(() => localStorage);
  const database = new Database(() => (isInMemory ? undefined : indexedDB));
  const { sourceIdentifier = '' } = (options as Partial<WebOptions>).credentials ?? {};
  let life: PageLifecycle | undefined;
  const begin = (): PageLifecycle =>
    (life ??= new PageLifecycle(`sluice.${sourceIdentifier}`, uuid(), options.flushInterval, {
      denied: () => {
        consent('denied');
      },
      gone: () => {
        database.letGo();
      },
    }));
  const ports: Ports = {
    sdk,
    clock: {
      now: () => Date.now(),
      monotonic: () => performance.now(),
      later: (ms, work) => {
        // A longer wait than timers can count would be none.
        const timer = setTimeout(work, Math.min(ms, 2 ** 31 - 1));
        return () => {
          clearTimeout(timer);
        };
      },
    },
    random: { fraction: () => Math.random(), uuid },
    values: isInMemory ? noValues : new PageValues(sourceIdentifier, storage, document),
    queue: new WebQueue({
      journal: storage && new Journal(storage),
      database,
      owner: () => begin().owner,
      isLeaving: () => begin().isLeaving(),
      isOwned: () => begin().isOwned(),
      sealed: () => {
        begin().tell('wake');
      },
    }),
    transport: fetchTransport(() => fetch),
    lifecycle: {
      subscribe: (listener) => begin().subscribe(listener),
      isSender: () => begin().isSender(),
    },
    ...(isPrerendering() && { ready: activation() }),
    context: () => pageContext(document),
    log: (text) => {
      console.debug(`sluice: ${text}`);
    },
  };
  const client = createCore({ ...options, host, errorHandler: handlerOf(options) }, ports);
  const consent = client.consent.bind(client);
  const close = client.close.bind(client);
  return Object.assign(client, {
    consent: (state: Consent) => {
      consent(state);
      if (state === 'denied') life?.tell(state);
    },
    close: () => {
      onClose();
      return close();
    },
    requestAd: (body: object) => requestAd(rtb, 'ad', body),
    requestSponsoredAd: (body: object) => requestAd(rtb, 'sponsoredAd', body),
  });
}

/** The core keeps in memory what cannot be read. */
const noValues: KeyValueStore = {
  get: () => {
    throw new Error();
  },
  set: () => undefined,
  clear: () => undefined,
};

/** Memory that was asked for is no failure of the store. */
const handlerOf =
  ({ storage, errorHandler }: WebOptions) =>
  (error: SluiceError): void => {
    if (storage !== 'memory' || error.code !== 'storage') errorHandler?.(error);
  };

const isPrerendering = (): boolean => (document as { prerendering?: boolean }).prerendering === true;

/** Calls of a page that nobody has seen yet wait: it may never be shown. */
const activation = (): Promise<void> =>
  new Promise((resolve) => {
    document.addEventListener('prerenderingchange', () => {
      resolve();
    });
  });
