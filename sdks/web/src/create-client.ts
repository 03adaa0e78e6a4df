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
import { type WebClient, type WebOptions, type WebPlugin } from './options.js';
import { fetchTransport } from './page/fetch-transport.js';
import { pageContext } from './page/page-context.js';
import { pageClock } from './page/page-clock.js';
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
  options: WebOptions = {} as WebOptions,
  bundleOrigin?: string,
): WebClient<Events> {
  if (typeof document === 'undefined') return disabled() as WebClient<Events>;
  const clients = ((globalThis as { [registryName]?: Registry })[registryName] ??= {});
  const origin = bundleOrigin ?? location.origin;
  const host = urlOf(options.host?.apiPath ?? origin);
  const { apiKey, sourceIdentifier } = (options as Partial<WebOptions>).credentials ?? {};
  const name = `${sourceIdentifier ?? ''} ${host}`;
  const known: unknown = clients[name];
  if (known) return known as WebClient<Events>;
  const client = pageClient(options, host, urlOf(options.host?.rtbPath ?? host), () => {
    clients[name] = undefined;
  });
  // A client without credentials leaves the place to one that has them.
  if (apiKey && sourceIdentifier) clients[name] = client;
  return client;
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
  const database = new Database(() => (options.storage === 'memory' ? undefined : indexedDB));
  const begun: { life?: PageLifecycle } = {};
  const { plugins = [], ...others } = options;
  const report = handlerOf(options);
  const core = createCore(
    { ...others, plugins, host, errorHandler: report },
    portsOf(options, database, begun, () => {
      state = 'denied';
      consent(state);
    }),
  );
  const [consent, close, use] = [core.consent.bind(core), core.close.bind(core), core.use.bind(core)];
  const used = [...plugins];
  let state: Consent = options.consent ?? 'granted';
  const client = Object.assign(core, {
    consent: (next: Consent) => {
      state = next;
      consent(next);
      if (next === 'denied') begun.life?.tell(next);
      else beginAll();
    },
    close: () => {
      onClose();
      return close();
    },
    use: (plugin: WebPlugin) => {
      used.push(plugin);
      use(plugin);
      plugin.begin?.(parts);
    },
    requestAd: (body: object) => requestAd(rtb, 'ad', body),
    requestSponsoredAd: (body: object) => requestAd(rtb, 'sponsoredAd', body),
  });
  const { credentials } = options;
  const parts = {
    client,
    database,
    host,
    credentials,
    report,
    isGranted: () => state === 'granted' && !isPrerendering(),
  };
  const beginAll = (): void => {
    for (const plugin of used) plugin.begin?.(parts);
  };
  beginAll();
  if (isPrerendering()) void activation().then(beginAll);
  return client;
}

/** @param begun has the life of the page once the client is active: a disabled one holds nothing */
function portsOf(
  options: WebOptions,
  database: Database,
  begun: { life?: PageLifecycle },
  onDenied: () => void,
): Ports {
  const isInMemory = options.storage === 'memory';
  const storage = isInMemory ? undefined : attempt(() => localStorage);
  const { sourceIdentifier = '' } = (options as Partial<WebOptions>).credentials ?? {};
  const life = (): PageLifecycle =>
    (begun.life ??= new PageLifecycle(`sluice.${sourceIdentifier}`, uuid(), options.flushInterval, {
      denied: onDenied,
      gone: (mayComeBack) => {
        if (mayComeBack) database.leave();
        else database.letGo();
      },
      back: () => {
        database.comeBack();
      },
    }));
  return {
    sdk,
    clock: pageClock,
    random: { fraction: () => Math.random(), uuid },
    values: isInMemory ? noValues : new PageValues(sourceIdentifier, storage, document),
    queue: new WebQueue({
      journal: storage && new Journal(storage),
      database,
      owner: () => life().owner,
      isLeaving: () => life().isLeaving(),
      isOwned: () => life().isOwned(),
      sealed: () => {
        life().tell('wake');
      },
    }),
    transport: fetchTransport(() => fetch),
    lifecycle: { subscribe: (listener) => life().subscribe(listener), isSender: () => life().isSender() },
    ...(isPrerendering() && { ready: activation() }),
    context: () => pageContext(document),
    log: (text) => {
      console.debug(`sluice: ${text}`);
    },
  };
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
