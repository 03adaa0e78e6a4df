import { Batcher } from './batcher.js';
import { type Kind, utf8Bytes } from './batch.js';
import { Identity } from './identity.js';
import { givenTimestamp, isPersonId, type Message, objectOf, type Properties, textOf, timestampOf } from './message.js';
import {
  type ClientOptions,
  type Consent,
  maxMessageBytes,
  type Plugin,
  type Settings,
  settingsOf,
  withDefaults,
} from './options.js';
import { Outbox } from './outbox.js';
import { type LifecycleEvent, type Ports } from './ports.js';
import { Reporter } from './reporter.js';

export interface CallOptions {
  readonly timestamp?: Date | string | undefined;
  readonly context?: object | undefined;
}

/** Maps names of events to their properties. */
export type EventMap = object;

type Rest<Event> =
  Partial<Event> extends Event
    ? [properties?: Event, options?: CallOptions]
    : [properties: Event, options?: CallOptions];

export interface FlushResult {
  /** Messages that the service confirmed during the call. */
  readonly sent: number;
  /** Messages that are still queued. */
  readonly left: number;
}

/** No method throws. Only `flush` and `close` wait for the network. */
export interface Client<Events extends EventMap = Record<string, Properties>> {
  /** Returns true if the event was accepted; otherwise errorHandler was told why. */
  track<Name extends keyof Events & string>(event: Name, ...rest: Rest<Events[Name]>): boolean;
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

/** Makes a client on these ports. If a credential or the host is blank, it only reports `disabled` to errorHandler. */
export function createCore<Events extends EventMap = Record<string, Properties>>(
  options: ClientOptions,
  ports: Ports,
): Client<Events> {
  return new CoreClient(options, settingsOf(options), ports) as unknown as Client<Events>;
}

// A disabled client has the same parts, which never act.
const disabledSettings = withDefaults({ apiKey: '', sourceIdentifier: '', host: '' }, {});

class CoreClient implements Client {
  private readonly identity: Identity;
  private readonly reporter: Reporter;
  private readonly outbox: Outbox;
  private readonly batcher: Batcher;
  private readonly plugins: Plugin[] = [];
  private readonly unsubscribe: () => void;
  private state: Consent;
  /** Calls that wait until `values` can be read. */
  private early: (() => void)[] | undefined;
  private isActive: boolean;
  private stream: string;
  private seq = 0;
  private hasBadClock = false;

  constructor(
    options: ClientOptions,
    settings: Settings | undefined,
    private readonly ports: Ports,
  ) {
    const known = settings ?? disabledSettings;
    const debug = (text: string): void => {
      if (options.debug) ports.log?.(text);
    };
    this.identity = new Identity(ports.values, ports.random, () => {
      this.outbox.cleared();
    });
    this.reporter = new Reporter(
      options.errorHandler,
      (count) => {
        this.identity.giveUp(count);
      },
      debug,
    );
    this.outbox = new Outbox(known, ports, this.reporter, () => this.identity.isCleared);
    this.batcher = new Batcher(known, ports, this.outbox, this.reporter);
    this.state = options.consent ?? 'granted';
    this.isActive = settings !== undefined;
    this.stream = ports.random.uuid('stream');
    if (!this.isActive) {
      this.reporter.report({ code: 'disabled', message: 'apiKey, sourceIdentifier or host is blank' });
      this.unsubscribe = () => undefined;
      return;
    }
    this.unsubscribe = ports.lifecycle.subscribe((event) => void this.on(event));
    if (ports.ready) this.wait(ports.ready);
    else this.begin();
    for (const plugin of options.plugins ?? []) this.use(plugin);
  }

  track(event: string, properties?: object, options?: CallOptions): boolean {
    return this.take({ type: 'track', event, properties }, options);
  }

  identify(userId: string, traits?: object, options?: CallOptions): boolean {
    if (!this.isTaking()) return false;
    if (this.early)
      return this.defer((now) => this.identify(userId, traits, { ...options, timestamp: options?.timestamp ?? now }));
    if (isPersonId(userId)) this.identity.become(userId);
    else {
      this.reporter.report({ code: 'invalid', message: 'identify: the userId breaks its rule; the user is forgotten' });
      this.identity.reset();
      return false;
    }
    return this.take({ type: 'identify', traits }, options);
  }

  reset(): void {
    if (!this.isTaking()) return;
    if (this.early)
      this.early.push(() => {
        this.reset();
      });
    else this.identity.reset();
  }

  async flush(): Promise<FlushResult> {
    const { outbox } = this;
    const before = outbox.sent;
    if (this.isActive) {
      if (this.early) await this.ports.ready?.catch(() => undefined);
      await outbox.urgently(() => this.batcher.sealAll());
    }
    return { sent: outbox.sent - before, left: outbox.left };
  }

  async close(): Promise<FlushResult> {
    const result = await this.flush();
    this.isActive = false;
    this.outbox.stop();
    this.unsubscribe();
    return result;
  }

  consent(state: Consent): void {
    if (!this.isActive || state === this.state) return;
    const { state: before } = this;
    this.state = state;
    if (state === 'denied') void this.erase();
    // A denial starts a new stream, so that it cannot be linked to the old one.
    if (before === 'denied') [this.stream, this.seq] = [this.ports.random.uuid('stream'), 0];
    if (state === 'pending') this.outbox.stop();
    this.batcher.isPersistent = false;
    if (state === 'granted' && !this.early) this.begin();
  }

  use(plugin: Plugin): void {
    this.plugins.push(plugin);
    try {
      plugin.setup?.(this);
    } catch (cause) {
      this.reporter.report({ code: 'invalid', message: 'setup of a plugin failed', cause });
    }
  }

  get anonymousId(): string | undefined {
    return this.isTaking() && !this.early ? this.identity.anonymousId : undefined;
  }

  get userId(): string | undefined {
    return this.isTaking() && !this.early ? this.identity.userId : undefined;
  }

  get deviceId(): string | undefined {
    return this.isTaking() && !this.early ? this.identity.device : undefined;
  }

  private isTaking(): boolean {
    return this.isActive && this.state !== 'denied';
  }

  private begin(): void {
    if (this.state !== 'granted') return;
    this.identity.persist();
    this.batcher.persist();
    void this.outbox.load().then(() => (this.state === 'granted' && this.isActive ? this.outbox.start() : undefined));
  }

  private wait(ready: Promise<void>): void {
    this.early = [];
    const go = (): void => {
      const calls = this.early ?? [];
      this.early = undefined;
      this.begin();
      for (const call of calls) call();
    };
    // Continue even if `values` cannot be read; they are then kept in memory.
    ready.then(go, go);
  }

  private defer(call: (now: Date) => void): boolean {
    const now = new Date(this.ports.clock.now());
    this.early?.push(() => {
      call(now);
    });
    return true;
  }

  private take(fields: Partial<Message> & { type: Kind }, options: CallOptions | undefined): boolean {
    if (!this.isTaking()) return false;
    if (this.early) return this.defer((now) => this.take(fields, { ...options, timestamp: options?.timestamp ?? now }));
    try {
      const message = this.plugged(this.messageOf(fields, options));
      if (!message) return false;
      const { sdk } = this.ports;
      const stamp = {
        ...sdk,
        device: this.identity.device,
        stream: this.stream,
        seq: this.seq,
        lost: this.identity.lost,
      };
      const text = textOf(message, stamp, (path, why) => {
        this.reporter.debug(`${path} is left out: ${why}`);
      });
      if (utf8Bytes(text) > maxMessageBytes) throw new Error(`a message has at most ${maxMessageBytes} bytes`);
      this.seq++;
      this.batcher.add(message.type, text);
      return true;
    } catch (cause) {
      const name = fields.event ?? fields.type;
      this.reporter.report({
        code: 'invalid',
        message: `${name}: ${cause instanceof Error ? cause.message : ''}`,
        cause,
      });
      return false;
    }
  }

  private messageOf(fields: Partial<Message> & { type: Kind }, options: CallOptions = {}): Message {
    const { userId, anonymousId } = this.identity;
    return {
      ...fields,
      userId,
      anonymousId,
      properties: fields.properties ?? undefined,
      traits: fields.traits ?? undefined,
      context: { ...this.ports.context?.(), ...objectOf(options.context ?? {}, 'context') },
      timestamp: options.timestamp == null ? this.now() : givenTimestamp(options.timestamp),
    };
  }

  private plugged(message: Message): Message | null {
    return this.plugins.reduce<Message | null>((seen, plugin) => seen && plugin(seen), message);
  }

  /** Undefined if the clock is outside the range that the service accepts. */
  private now(): string | undefined {
    const now = timestampOf(this.ports.clock.now());
    if (now === undefined && !this.hasBadClock) {
      this.hasBadClock = true;
      this.reporter.report({ code: 'invalid', message: 'the clock is outside of 1970 to 2199: no timestamps' });
    }
    return now;
  }

  private async erase(): Promise<void> {
    this.batcher.erase();
    this.outbox.erase();
    this.identity.erase();
    try {
      await this.ports.queue.clear();
    } catch (error) {
      this.reporter.storageFailed(error);
    }
  }

  private async on(event: LifecycleEvent): Promise<void> {
    if (event === 'hide') {
      await this.outbox.hold(() => this.batcher.sealAll());
      this.outbox.sendAll();
    } else if (this.state !== 'granted' || this.early) return;
    else if (event === 'online') this.outbox.online();
    else await this.outbox.load().then(() => this.outbox.drain());
  }
}
