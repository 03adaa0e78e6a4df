import { attempt } from './attempt.js';
import { utf8Bytes } from './batch.js';
import { createBatcher } from './batcher.js';
import { createIdentity } from './identity.js';
import { check, givenTimestamp, isPersonId, type Message, objectOf, textOf, timestampOf } from './message.js';
import {
  type ClientOptions,
  type Consent,
  maxMessageBytes,
  type Plugin,
  type PluginParts,
  settingsOf,
} from './options.js';
import { createOutbox } from './outbox.js';
import { type LifecycleEvent, type Ports } from './ports.js';
import { createReporter } from './reporter.js';

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

type Known<Events> = Events & Omit<PushEvents, keyof Events>;

type Rest<Event> =
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
  /** Returns true if the event was accepted; otherwise errorHandler was told why. */
  track<Name extends keyof Known<Events> & string>(event: Name, ...rest: Rest<Known<Events>[Name]>): boolean;
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

/** The members of a message that a call gives. */
type Fields = Pick<Message, 'type' | 'event' | 'properties' | 'traits'>;

/** Makes a client on these ports. If a credential or the host is blank, it only reports `disabled` to errorHandler. */
// eslint-disable-next-line max-lines-per-function -- a factory of short functions: private names cost a page nothing
export function createCore<Events extends EventMap = Record<string, object>>(
  options: ClientOptions,
  ports: Ports,
): Client<Events> {
  const settings = settingsOf(options);
  const plugins: Plugin[] = [];
  /** Plugins that returned no message; reported once each. */
  const wrong = new Set<Plugin>();
  let state = options.consent ?? 'granted';
  let isActive = Boolean(settings.apiKey && settings.sourceIdentifier && settings.host);
  /** Calls that wait until `values` can be read. */
  let early: (() => unknown)[] | undefined;
  let stream: string | undefined;
  let seq = 0;
  let hasBadClock = false;

  const identity = createIdentity(ports.values, ports.random, () => outbox.cleared());
  const reporter = createReporter(options.errorHandler, identity.giveUp, options.debug ? ports.log : undefined);
  const outbox = createOutbox(settings, ports, reporter, identity.isCleared);
  const batcher = createBatcher(settings, ports, outbox, reporter);

  const isTaking = (): boolean => isActive && state !== 'denied';
  const isGranted = (): boolean => isActive && state === 'granted' && !early;
  /** The id, if there are ids. */
  const known = <T>(id: () => T): T | undefined => (isTaking() && !early ? id() : undefined);

  const client: Client = {
    track: (event, properties?: object, options?: CallOptions) =>
      call(options, (given) => take({ type: 'track', event, properties }, given)),
    identify: (userId, traits, options) =>
      call(options, (given) => {
        if (isPersonId(userId)) {
          identity.become(userId);
          return take({ type: 'identify', traits }, given);
        }
        identity.reset();
        reporter.report('invalid', 'userId breaks its rule');
        return false;
      }),
    reset() {
      call({}, () => {
        identity.reset();
        return true;
      });
    },
    async flush() {
      const before = outbox.sent();
      if (isActive) {
        if (early) await ports.ready?.catch(() => undefined);
        await outbox.hold(async () => {
          await batcher.sealAll();
          await outbox.start(isGranted);
        });
      }
      return { sent: outbox.sent() - before, left: outbox.left() };
    },
    async close() {
      const result = await client.flush();
      isActive = false;
      batcher.erase();
      outbox.stop();
      unsubscribe?.();
      for (const plugin of plugins.splice(0)) attempt(() => plugin.end?.());
      return result;
    },
    consent(next) {
      if (next === 'denied' && isTaking()) ports.lifecycle.denied?.();
      agree(next);
    },
    use(plugin) {
      if (isPlugin(plugin)) {
        plugins.push(plugin);
        setUp(plugin, true);
      }
    },
    get anonymousId() {
      return known(identity.anonymousId);
    },
    get userId() {
      return known(identity.userId);
    },
    get deviceId() {
      return known(identity.device);
    },
  };
  const parts: PluginParts = {
    ...ports.parts,
    client,
    isGranted,
    failed(message, cause) {
      reporter.report('invalid', message, { cause });
    },
  };

  function agree(next: Consent): void {
    if (!isActive || next === state) return;
    state = next;
    identity.pause();
    batcher.pause();
    outbox.stop();
    if (next === 'denied') erase();
    else begin();
  }

  function begin(): void {
    if (!isGranted()) return;
    identity.persist();
    batcher.persist();
    resume();
    for (const plugin of plugins) setUp(plugin, false);
  }

  /** Sends what the store has. */
  function resume(): void {
    void outbox.start(isGranted);
  }

  /** Makes a call, or keeps it with its time until `values` can be read. Returns false if nothing is taken. */
  function call(options: CallOptions | undefined, work: (options: CallOptions) => boolean): boolean {
    if (!isTaking()) return false;
    if (!early) return work(options ?? {});
    const given = { ...options, timestamp: options?.timestamp ?? now() };
    early.push(() => call(given, work));
    return true;
  }

  function take(fields: Fields, options: CallOptions): boolean {
    try {
      const message = plugins.reduce<Message | null>(throughPlugin, messageOf(fields, options));
      if (!message) return false;
      stream ??= ports.random.uuid('stream');
      const stamp = { ...ports.sdk, device: identity.device(), stream, seq, lost: identity.lost() };
      const text = textOf(message, stamp, (path) => {
        reporter.debug?.(`${path} is left out`);
      });
      const bytes = utf8Bytes(text);
      check(bytes <= maxMessageBytes, 'size');
      seq++;
      batcher.add(message.type, text, bytes);
      return true;
    } catch (cause) {
      const why = cause instanceof Error ? cause.message : '';
      parts.failed(`${fields.event ?? fields.type}: ${why}`, cause);
      return false;
    }
  }

  /** The message as the plugin leaves it. What is not a message of the same type (a promise, say) changes nothing. */
  function throughPlugin(seen: Message | null, plugin: Plugin): Message | null {
    const made: unknown = seen && plugin({ ...seen });
    if (made === null) return null;
    if ((made as Message | undefined)?.type === seen?.type) return made as Message;
    // A promise that nobody waits for must not fail aloud.
    if (made instanceof Promise) made.catch(() => undefined);
    if (!wrong.has(plugin)) parts.failed('a plugin returned neither a message of the same type nor null', undefined);
    wrong.add(plugin);
    return seen;
  }

  function messageOf(fields: Fields, { context, timestamp }: CallOptions): Message {
    return {
      ...fields,
      userId: identity.userId(),
      anonymousId: identity.anonymousId(),
      context: { ...ports.context?.(), ...objectOf(context ?? {}, 'context') },
      timestamp: timestamp == null ? now() : givenTimestamp(timestamp),
    };
  }

  /** False for anything else, which is reported: it must not stop the calls that follow. */
  function isPlugin(plugin: unknown): plugin is Plugin {
    if (typeof plugin === 'function') return true;
    parts.failed('a plugin is not a function', undefined);
    return false;
  }

  /** Begins with a plugin, or again, and reports its errors. */
  function setUp(plugin: Plugin, isNew: boolean): void {
    const failed = (cause: unknown): void => parts.failed('a plugin failed', cause);
    try {
      // Nobody waits for a plugin that begins with a promise.
      const begun: unknown[] = [isNew && plugin.setup?.(client), plugin.begin?.(parts)];
      Promise.all(begun).catch(failed);
    } catch (cause) {
      failed(cause);
    }
  }

  /** Undefined if the clock is outside the range that the service accepts. */
  function now(): string | undefined {
    const time = timestampOf(ports.clock.now());
    if (time === undefined && !hasBadClock) {
      hasBadClock = true;
      reporter.report('invalid', 'the clock is wrong');
    }
    return time;
  }

  function erase(): void {
    early &&= [];
    batcher.erase();
    outbox.erase();
    identity.erase();
    void reporter.storing(() => ports.queue?.clear());
    // A new stream, so that it cannot be linked to the old one.
    stream = undefined;
    seq = 0;
  }

  async function on(event: LifecycleEvent): Promise<void> {
    // Not told back: it would undo a consent that was granted again meanwhile.
    if (event === 'denied') agree(event);
    else if (event === 'hide') {
      outbox.sendAll();
      await outbox.hold(async () => {
        await batcher.sealAll();
        outbox.sendAll();
      });
    } else if (isGranted()) {
      if (event === 'online') outbox.online();
      else resume();
    }
  }

  let unsubscribe: (() => void) | undefined;
  if (isActive) {
    unsubscribe = ports.lifecycle.subscribe((event) => void on(event));
    if (ports.ready) {
      early = [];
      const go = (): void => {
        const calls = early;
        early = undefined;
        begin();
        calls?.forEach((call) => call());
      };
      // Continue even if `values` cannot be read; they are then kept in memory.
      ports.ready.then(go, go);
    } else begin();
    // All plugins see the events that one of them makes when it begins.
    const given: unknown = options.plugins ?? [];
    if (Array.isArray(given)) plugins.push(...given.filter(isPlugin));
    else parts.failed('plugins is not a list', undefined);
    for (const plugin of plugins) setUp(plugin, true);
  } else reporter.report('disabled', 'credentials or host are blank');
  return client;
}
