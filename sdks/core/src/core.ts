import { Batcher } from './recording/batcher.js';
import {
  type CallOptions,
  type Client,
  type EventMap,
  type FlushResult,
  type Plugin,
  type PluginParts,
} from './client/client.js';
import { type Consent } from './client/consent.js';
import { Identity } from './client/identity.js';
import { isPersonId } from './message/message.js';
import { type ClientOptions, readClientSettings } from './client/options.js';
import { Outbox } from './sending/outbox.js';
import { type Parts } from './client/parts.js';
import { Pending } from './sending/pending.js';
import { Plugins } from './recording/plugins.js';
import { type LifecycleEvent, type Ports } from './ports/ports.js';
import { Recording } from './recording/recording.js';
import { Reporter } from './client/reporter.js';

/** Names of the methods. They are bound to each client, because callers may detach them from it. */
const methods = ['track', 'identify', 'reset', 'flush', 'close', 'consent', 'use'] as const;

/** A client with the method that only its platform calls. */
export interface CoreClient<Events extends EventMap = Record<string, object>> extends Client<Events> {
  /** Messages that the service has confirmed since the client started. */
  readonly sent: number;
  /** Applies this consent if it is stricter than the current one. */
  restrict(consent: Consent): void;
  /**
   * Moves the next tries to before `deadline` by the monotonic clock, where the service allows it. Returns the
   * milliseconds until a `flush` can send something; undefined if none can by then.
   */
  hurryFor(deadline: number): number | undefined;
}

/** Makes a client on these ports. If a credential or the host is blank, it only reports `disabled` to errorHandler. */
export function createCore<Events extends EventMap = Record<string, object>>(
  options: ClientOptions,
  ports: Ports,
): CoreClient<Events> {
  const core = new Core(options, ports);
  core.start(options.plugins);
  return core as CoreClient;
}

/** A client: consent, the calls that wait for stored values, and the parts that do the work. */
class Core implements CoreClient {
  readonly #parts: Parts;
  readonly #identity: Identity;
  readonly #pending: Pending;
  readonly #outbox: Outbox;
  readonly #batcher: Batcher;
  readonly #plugins: Plugins;
  readonly #recording: Recording;
  #consent: Consent;
  /** False without credentials or host, and after `close`. */
  #isActive: boolean;
  /** Calls that wait until `values` can be read; undefined once they can. */
  #earlyCalls: { call: () => unknown; isMessage: boolean }[] | undefined;
  #unsubscribe: (() => void) | undefined;

  constructor(options: ClientOptions, ports: Ports) {
    for (const name of methods) Object.assign(this, { [name]: this[name].bind(this) });
    const identity = new Identity(ports.values, ports.random, () => this.#pending.markCleared());
    const parts = { ...readClientSettings(options), ...ports, reporter: new Reporter(options, identity, ports.log) };
    this.#parts = parts;
    this.#consent = options.consent ?? 'granted';
    this.#isActive = Boolean(parts.apiKey && parts.sourceIdentifier && parts.host);
    this.#identity = identity;
    this.#pending = new Pending(parts, identity);
    this.#outbox = new Outbox(parts, this.#pending);
    this.#batcher = new Batcher(parts, this.#outbox);
    this.#plugins = new Plugins(this.#pluginParts());
    this.#recording = new Recording(parts, identity, this.#plugins, this.#batcher);
  }

  /** Adopts the stored batches when `values` can be read, and sets up the plugins of the options. */
  start(plugins: unknown): void {
    if (!this.#isActive) {
      this.#parts.reporter.report('disabled', 'no credentials or host');
      return;
    }
    const { lifecycle, ready } = this.#parts;
    this.#unsubscribe = lifecycle.subscribe((event) => void this.#handleEvent(event));
    if (ready) {
      this.#earlyCalls = [];
      const begin = (): void => {
        const calls = this.#earlyCalls;
        this.#earlyCalls = undefined;
        this.#begin();
        calls?.forEach(({ call }) => call());
      };
      // Continue even if `values` cannot be read; they are then kept in memory.
      ready.then(begin, begin);
    } else this.#begin();
    this.#plugins.add(plugins ?? []);
  }

  track(event: string, properties?: object, options?: CallOptions): boolean {
    return this.#call(options, (callOptions) =>
      this.#recording.take({ type: 'track', event, properties }, callOptions),
    );
  }

  identify(userId: string, traits?: object, options?: CallOptions): boolean {
    return this.#call(options, (callOptions) => {
      if (isPersonId(userId)) {
        this.#identity.become(userId);
        return this.#recording.take({ type: 'identify', traits }, callOptions);
      }
      this.#identity.reset();
      this.#parts.reporter.report('invalid', 'userId breaks its rule');
      return false;
    });
  }

  reset(): void {
    const reset = (): boolean => {
      this.#identity.reset();
      return true;
    };
    this.#call({}, reset, false);
  }

  async flush(): Promise<FlushResult> {
    const sentBefore = this.#outbox.sent;
    if (this.#isActive) {
      if (this.#earlyCalls) await this.#parts.ready?.catch(() => undefined);
      await this.#outbox.hold(async () => {
        await this.#batcher.sealAll();
        await this.#resume();
      });
    }
    return { sent: this.#outbox.sent - sentBefore, left: this.#pending.messages };
  }

  async close(): Promise<FlushResult> {
    const result = await this.flush();
    this.#isActive = false;
    this.#batcher.erase();
    this.#outbox.stop();
    this.#unsubscribe?.();
    this.#plugins.end();
    return result;
  }

  get sent(): number {
    return this.#outbox.sent;
  }

  hurryFor(deadline: number): number | undefined {
    return this.#outbox.hurryFor(deadline);
  }

  consent(next: Consent): void {
    if (next === 'denied' && this.#isTaking()) this.#parts.lifecycle.denied?.();
    this.#changeConsent(next);
  }

  restrict(next: Consent): void {
    if (next === 'denied' || (next === 'pending' && this.#consent === 'granted')) this.consent(next);
  }

  use(plugin: Plugin): void {
    this.#plugins.add(plugin);
  }

  get anonymousId(): string | undefined {
    return this.#ids?.anonymousId;
  }

  get userId(): string | undefined {
    return this.#ids?.userId;
  }

  get deviceId(): string | undefined {
    return this.#ids?.device;
  }

  /** The ids; undefined until `values` can be read, after a denial and after `close`. */
  get #ids(): Identity | undefined {
    return this.#isTaking() && !this.#earlyCalls ? this.#identity : undefined;
  }

  #pluginParts(): PluginParts {
    return {
      ...this.#parts.parts,
      client: this,
      isGranted: () => this.#isGranted(),
      failed: (message, cause) => {
        this.#parts.reporter.report('invalid', message, { cause });
      },
    };
  }

  #isTaking(): boolean {
    return this.#isActive && this.#consent !== 'denied';
  }

  #isGranted(): boolean {
    return this.#isActive && this.#consent === 'granted' && !this.#earlyCalls;
  }

  /** Makes a call, or keeps it with its time until `values` can be read. Returns false if it is not accepted. */
  #call(options: CallOptions | undefined, work: (options: CallOptions) => boolean, isMessage = true): boolean {
    if (!this.#isTaking()) return false;
    if (!this.#earlyCalls) return work(options ?? {});
    const datedOptions = { ...options, timestamp: options?.timestamp ?? this.#recording.now() };
    this.#earlyCalls.push({ call: () => this.#call(datedOptions, work), isMessage });
    return true;
  }

  /** Changes consent. */
  #changeConsent(next: Consent): void {
    if (!this.#isActive || next === this.#consent) return;
    this.#consent = next;
    this.#identity.pause();
    this.#batcher.pause();
    this.#outbox.stop();
    if (next === 'denied') this.#erase();
    else this.#begin();
  }

  /** Begins to store and send, if consent is granted. */
  #begin(): void {
    if (!this.#isGranted()) return;
    this.#identity.persist();
    this.#batcher.persist();
    void this.#resume();
    this.#plugins.beginAgain();
  }

  #resume(): Promise<void> {
    return this.#outbox.start(() => this.#isGranted());
  }

  #erase(): void {
    const earlyMessages = this.#earlyCalls?.filter(({ isMessage }) => isMessage).length ?? 0;
    this.#earlyCalls &&= [];
    this.#batcher.erase();
    this.#outbox.stop();
    const unstored = earlyMessages + this.#pending.erase();
    this.#identity.erase();
    void this.#clear(unstored);
    this.#recording.erase();
  }

  /** Erases this source's batches in the store. Reports how many messages were erased, also of other clients. */
  async #clear(unstored: number): Promise<void> {
    const { queue, reporter, sourceIdentifier } = this.#parts;
    const stored = (await reporter.storing(() => queue?.clear(sourceIdentifier))) ?? 0;
    reporter.erased(stored + unstored);
  }

  async #handleEvent(event: LifecycleEvent): Promise<void> {
    // This denial came from another client. Passing it on again would undo a consent granted in the meantime.
    if (event === 'denied') this.#changeConsent(event);
    else if (event === 'hide') {
      this.#outbox.sendAll();
      await this.#outbox.hold(async () => {
        await this.#batcher.sealAll();
        this.#outbox.sendAll();
      });
    } else if (this.#isGranted()) {
      if (event === 'online') this.#outbox.hurry();
      else void this.#resume();
    }
  }
}
