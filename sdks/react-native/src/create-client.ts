import {
  attempt,
  createCore,
  type EventMap,
  type MaybePromise,
  type PluginParts,
  type Ports,
  type SluiceError,
  type Transport,
  valueNames,
} from '@sluice/sdk-core';
import { createContext } from './app/app-context.js';
import { createLifecycle } from './app/app-lifecycle.js';
import { engineClock } from './engine/clock.js';
import { fetchTransport } from './engine/fetch-transport.js';
import { uuid } from './engine/uuid.js';
import { type NativeParts } from './native/native-parts.js';
import { type AppParts, type AppPlugin, type ReactNativeClient, type ReactNativeOptions } from './options.js';
import { createNotifications } from './push/notifications.js';
import { createRegistration } from './push/registration.js';
import { KvQueue } from './queue/kv-queue.js';
import { Slots } from './queue/slots.js';
import { createCachedValues, createValues, type Values } from './queue/values.js';
import { createSecondCall, type SecondCall } from './second-call.js';
import { isPromise } from './storage/steps.js';
import { type Storage } from './storage/storage.js';
import { sdk } from './version.js';

const day = 86_400_000;
const mib = 1_048_576;
/** Default of `flushInterval`: each request keeps the radio of a phone awake for 5 to 10 s. */
const flushMs = 15_000;
/** While debugging, rows appear quickly. */
const debugFlushMs = 2_000;
/** Time after which a store that could not be read is listed again. */
const lookAgainMs = 30_000;

/** A client of an earlier version does not know of later calls. */
type Registered = ReactNativeClient & Partial<Pick<SecondCall, 'again'>>;
type Registry = Partial<Record<string, Registered>>;

/** Shared by all copies of this library in an app. */
const registryName = '__sluiceReactNative';
/** Registry name of the client that was made last. Names for sources contain a blank. */
const latest = 'latest';

const registry = (): Registry => ((globalThis as { [registryName]?: Registry })[registryName] ??= {});

/** Functions for native code that has no client at hand. */
export const Notification = {
  /** Registers the push token of this device with the app's client. Returns true if the registration was queued. */
  refreshToken(token: string): boolean {
    const client = registry()[latest];
    if (!client) console.warn('sluice: Notification.refreshToken was called without a client; call createClient first');
    return client?.setDeviceToken(token) ?? false;
  },
};

/**
 * The client of this platform's source, on these parts of React Native. The second call for a source gives the same
 * client.
 */
export const createClientOn = findOrCreateClient as <Events extends EventMap = Record<string, object>>(
  native: NativeParts,
  options: ReactNativeOptions,
) => ReactNativeClient<Events>;

function findOrCreateClient(native: NativeParts, optionsOrNone: ReactNativeOptions): ReactNativeClient {
  const options = (optionsOrNone as ReactNativeOptions | undefined) ?? ({} as ReactNativeOptions);
  const { OS } = native.Platform;
  const platformCredentials = OS === 'android' || OS === 'ios' ? options[OS] : undefined;
  const credentials = {
    apiKey: trimText(platformCredentials?.apiKey),
    sourceIdentifier: trimText(platformCredentials?.sourceIdentifier),
  };
  const host = normalizeHost(options.apiHost);
  const clients = registry();
  const name = `${credentials.sourceIdentifier} ${host}`;
  const registered = clients[name];
  if (registered) {
    registered.again?.(options, credentials.apiKey);
    return registered;
  }
  const client = makeClient(native, { ...options, credentials, host });
  const close = client.close.bind(client);
  const isComplete = Boolean(host && credentials.apiKey && credentials.sourceIdentifier);
  // A client that is disabled leaves the place to one that is not.
  if (isComplete) clients[name] = clients[latest] = client;
  const { consent, again } = createSecondCall({
    options,
    apiKey: credentials.apiKey,
    consent: client.consent.bind(client),
  });
  return Object.assign(client, {
    consent,
    again,
    close: () => {
      for (const registryKey of [name, latest]) if (clients[registryKey] === client) clients[registryKey] = undefined;
      return close();
    },
  });
}

/** Trims a string; anything else becomes an empty string. */
const trimText = (value: unknown): string => (typeof value === 'string' ? value.trim() : '');

/** Blank stays blank; a host without a scheme gets `https://`. */
function normalizeHost(apiHost: unknown): string {
  const host = trimText(apiHost).replace(/\/+$/, '');
  return host === '' || /^https?:\/\//i.test(host) ? host : `https://${host}`;
}

interface CompleteOptions extends ReactNativeOptions {
  readonly credentials: { readonly apiKey: string; readonly sourceIdentifier: string };
  readonly host: string;
}

function makeClient(native: NativeParts, options: CompleteOptions): ReactNativeClient {
  const { credentials, host } = options;
  const report: Report = (message, cause, count = 0) => {
    attempt(() => options.errorHandler?.({ code: 'storage', message, count, cause } satisfies SluiceError));
  };
  const isBlank = !credentials.apiKey || !credentials.sourceIdentifier || !host;
  const lifecycle = createLifecycle(native, options.network, (cause) => {
    const message = 'network has no usable addEventListener';
    attempt(() => options.errorHandler?.({ code: 'invalid', message, cause } satisfies SluiceError));
  });
  const stores = isBlank ? undefined : createStores(options, credentials.sourceIdentifier, report, lifecycle.wake);
  const transport = stores ? noteArrivals(stores.queue, fetchTransport) : fetchTransport;
  const registration = createRegistration(native.Platform.OS, options.packageName);
  let parts: PluginParts | undefined;
  const registrationPlugin: AppPlugin = Object.assign(registration.plugin.bind(undefined), {
    begin(appParts: AppParts) {
      parts = appParts;
      registration.plugin.begin?.(appParts);
    },
  });
  const client = createCore(
    {
      ...options,
      flushInterval: options.flushInterval ?? (options.debug ? debugFlushMs : flushMs),
      maxAge: options.maxAge ?? 30 * day,
      maxBytes: options.maxBytes ?? stores?.maxBytes,
      plugins: [registrationPlugin, ...(Array.isArray(options.plugins) ? (options.plugins as AppPlugin[]) : [])],
    },
    { ...createPorts(native, options, transport), lifecycle, ...stores?.ports },
  );
  const ready = stores?.ports.ready?.catch(() => undefined) ?? Promise.resolve();
  const saved = async (): Promise<boolean> => {
    await ready;
    // The client writes the messages that waited for the ids before this continues.
    await Promise.resolve();
    await stores?.queue.idle();
    return Boolean(stores?.queue.isSafe() && parts?.isGranted());
  };
  const notifications = createNotifications({
    client,
    host,
    native,
    transport,
    clock: engineClock,
    ready,
    saved,
    adapter: options.notifications,
    onInteraction: options.onInteraction,
    isGranted: () => parts?.isGranted() === true,
    setDeviceToken: registration.setDeviceToken,
  });
  return Object.assign(client, { saved, notifications, setDeviceToken: registration.setDeviceToken });
}

function createPorts(native: NativeParts, options: CompleteOptions, transport: Transport): Omit<Ports, 'lifecycle'> {
  const ownContext = createContext(native);
  const { context } = options;
  return {
    sdk,
    clock: engineClock,
    random: { fraction: Math.random, uuid: () => attempt(() => options.randomUUID?.()) ?? uuid() },
    transport,
    context: () => ({
      ...ownContext(),
      ...(typeof context === 'function' ? attempt(() => (context as () => object)()) : context),
    }),
    parts: { native },
    log: (text) => console.debug(`sluice: ${text}`),
  };
}

type Report = (message: string, cause?: unknown, count?: number) => void;

declare const console: { debug(text: string): void; warn(text: string): void };

interface Stores {
  readonly queue: KvQueue;
  readonly maxBytes: number;
  readonly ports: Pick<Ports, 'values' | 'queue' | 'ready'>;
}

/** Undefined without a storage: messages then end with the app. A missing one is reported, null is not. */
function createStores(
  options: ReactNativeOptions,
  source: string,
  report: Report,
  wake: () => void,
): Stores | undefined {
  const { storage } = options as { storage?: Storage | null };
  if (!storage) {
    if (storage === undefined) report('no storage is given: messages are kept in memory only');
    return undefined;
  }
  const onFailure = (cause: unknown): void => report('the store failed', cause);
  // One call shows whether the store is asynchronous. A store that fails now is asked again by the client.
  const isAsync = isPromise(ignoreRejection(attempt(() => storage.getItem(`sluice.v.${valueNames[0]}`))));
  const values: Values = isAsync
    ? createCachedValues(source, storage, engineClock, onFailure)
    : createValues(source, storage);
  const slots = new Slots(storage, {
    isAsync,
    clock: engineClock,
    failed: onFailure,
    gone: () => values.look(),
    ...(values.written && { idsWritten: values.written }),
  });
  let cancelWake = (): void => undefined;
  const queue = new KvQueue(slots, source, {
    damaged(count) {
      report('stored messages were damaged', undefined, count);
      attempt(() => values.set('lost', String((Number(values.get('lost')) || 0) + count)));
    },
    incomplete() {
      cancelWake();
      cancelWake = engineClock.later(lookAgainMs, wake);
    },
  });
  // AsyncStorage has room for 6 MB on Android, which the app needs too.
  return { queue, maxBytes: isAsync ? 2 * mib : 10 * mib, ports: { values, queue, ready: values.ready } };
}

/** Returns the value. Its rejection no longer counts as unhandled. */
function ignoreRejection<T>(value: MaybePromise<T> | undefined): MaybePromise<T> | undefined {
  if (isPromise(value)) value.catch(() => undefined);
  return value;
}

/** Notes the batches that have arrived: their messages are safe, even if only memory had them. */
const noteArrivals = (queue: KvQueue, transport: Transport): Transport => ({
  send(request) {
    const exchange = transport.send(request);
    const key = request.headers['Idempotency-Key'];
    const answer = exchange.answer.then((response) => {
      if (key !== undefined && response.status === 200) queue.arrived(key);
      return response;
    });
    return {
      answer,
      abort() {
        exchange.abort();
      },
    };
  },
});
