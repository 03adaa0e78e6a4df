import { randomUUID } from 'node:crypto';
import {
  attempt,
  type Clock,
  type CoreClient,
  createCore,
  type EventMap,
  type FlushResult,
  type Plugin,
  type Properties,
  type SluiceError,
} from '@sluice/sdk-core';
import { createTransport, type EndableTransport } from './fetch-transport.js';
import { nodeClock } from './node-clock.js';
import { type CallOptions, type FlushOptions, type NodeClient, type NodeOptions } from './options.js';
import { People } from './person.js';
import { atExit, onSignals } from './process-end.js';
import { Room } from './room.js';
import { type Disk, realDisk } from './store/disk.js';
import { directoryStorage, memoryStorage, type Storage } from './storage.js';
import { sdk } from './version.js';

const day = 86_400_000;
const mebibyte = 1_048_576;
const closeTimeoutMs = 5_000;
const maxHoldMs = 10_000;
/** Requests of this size stay below a megabyte, the usual limit of proxies in between. */
const maxBatchBytes = 512 * 1_024;

/** Parts of the platform, which tests replace. */
interface Surroundings {
  readonly clock?: Clock;
  readonly transport?: EndableTransport;
  readonly disk?: Disk;
}

/**
 * A client of a source. If a credential or the host is blank, it does nothing and reports `disabled` to errorHandler.
 */
export function createClient<Events extends EventMap = Record<string, object>>(
  options: NodeOptions,
  surroundings: Surroundings = {},
): NodeClient<Events> {
  // Callers without types may give no options.
  return new ServerClient({ ...options }, surroundings) as NodeClient<Events>;
}

class ServerClient implements NodeClient {
  private readonly people = new People();
  private readonly core: CoreClient;
  private readonly clock: Clock;
  private readonly storage: Storage;
  private readonly transport: EndableTransport;
  private readonly room: Room;
  private readonly isInMemory: boolean;
  private readonly flushInterval: number;
  private closing: Promise<FlushResult> | undefined;
  private left = 0;
  /** Keeps the process alive until tracked events are due, at most for about 10 s. */
  private hold: NodeJS.Timeout | undefined;
  private readonly leave: (() => void)[] = [];

  constructor(
    private readonly options: NodeOptions,
    { clock = nodeClock, transport = createTransport(), disk = realDisk }: Surroundings,
  ) {
    const { apiKey = '', sourceIdentifier = '' } = (options as Partial<NodeOptions>).credentials ?? {};
    const isActive = [apiKey, sourceIdentifier, options.apiHost].every((text) => isText(text));
    const directory = isActive ? readDirectoryOption(options.storage) : undefined;
    this.isInMemory = !directory;
    // A blank directory is usually a variable that is not set: report it before events are lost.
    if (directory === '')
      this.report({ code: 'storage', message: 'the directory is blank: events are in memory only' });
    this.clock = clock;
    this.transport = transport;
    this.flushInterval = options.flushInterval ?? 1_000;
    this.storage = directory
      ? directoryStorage({ directory, source: sourceIdentifier, clock, disk, report: this.report })
      : memoryStorage();
    const tenfold = directory ? 10 : 1;
    const { maxMessages = 100_000 * tenfold, maxBytes = 64 * mebibyte * tenfold } = options;
    this.room = new Room({ messages: maxMessages, bytes: maxBytes }, this.storage.values, this.report);
    this.core = createCore(
      {
        credentials: { apiKey, sourceIdentifier },
        host: options.apiHost ?? '',
        eventsPath: options.eventsPath,
        debug: options.debug,
        maxBatchBytes,
        flushAt: options.flushAt ?? 100,
        flushInterval: this.flushInterval,
        errorHandler: this.report,
        maxAge: options.maxAge ?? (directory ? 30 : 7) * day,
        // A full queue refuses new messages, so that what was accepted stays (room.ts).
        maxMessages: Infinity,
        maxBytes: Infinity,
        plugins: [this.people.plugin, ...(Array.isArray(options.plugins) ? (options.plugins as Plugin[]) : [])],
      },
      {
        sdk,
        clock,
        transport,
        random: { fraction: Math.random, uuid: () => randomUUID() },
        values: this.storage.values,
        lifecycle: this.storage.lifecycle,
        ...(this.storage.queue && { queue: this.storage.queue }),
        queued: (messages, bytes) => {
          this.left = messages;
          this.room.changed(messages, bytes);
        },
        log: (text) => console.debug(`sluice: ${text}`),
      },
    );
    if (!isActive) return;
    this.leave.push(atExit(() => this.reportAtExit()));
    if (options.closeOn) this.leave.push(onSignals(options.closeOn, () => this.close()));
  }

  track(event: string, properties?: object, options?: CallOptions): boolean {
    return this.call({ ...options }, (callOptions) => this.core.track(event, properties as Properties, callOptions));
  }

  identify(userId: string, traits?: object, options?: CallOptions): boolean {
    const person = this.people.pairIds(userId, { ...options });
    return this.call({ ...options, ...person }, (callOptions) => this.core.identify(userId, traits, callOptions));
  }

  withContext<T>(scope: Parameters<NodeClient['withContext']>[0], work: () => T): T {
    // Callers without types may give null.
    return this.people.run({ ...scope }, work);
  }

  get needsDrain(): boolean {
    return this.room.needsDrain;
  }

  drained(): Promise<void> {
    return this.closing ? Promise.resolve() : this.room.drained();
  }

  flush(options?: FlushOptions): Promise<FlushResult> {
    const { timeout } = { ...options };
    if (timeout === undefined) return this.core.flush();
    const { sent } = this.core;
    return new Promise((resolve) => {
      // Keeps the process alive, which the clock's timers do not.
      const late = setTimeout(() => {
        resolve({ sent: this.core.sent - sent, left: this.left });
      }, timeout);
      void this.sendWithin(timeout).then((result) => {
        clearTimeout(late);
        resolve(result);
      });
    });
  }

  close(options?: FlushOptions): Promise<FlushResult> {
    const { timeout = closeTimeoutMs } = { ...options };
    return (this.closing ??= this.end(timeout));
  }

  use(plugin: Plugin): void {
    this.core.use(plugin);
  }

  get deviceId(): string | undefined {
    return this.core.deviceId;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  private call(options: CallOptions, work: (options: CallOptions) => boolean): boolean {
    if (this.closing) {
      this.report({ code: 'disabled', message: 'the client is closed' });
      return false;
    }
    if (this.room.isFull) {
      this.room.refuse();
      return false;
    }
    const isTaken = this.people.call(options, work);
    if (isTaken) this.hold ??= setTimeout(() => (this.hold = undefined), Math.min(this.flushInterval, maxHoldMs) + 50);
    return isTaken;
  }

  private readonly report = (error: SluiceError): void => {
    attempt(() => this.options.errorHandler?.(error));
  };

  private async end(timeout: number): Promise<FlushResult> {
    const { sent } = this.core;
    const late = setTimeout(() => this.transport.end(), timeout);
    if (this.isInMemory) await this.sendWithin(timeout);
    const { left: leftMessages } = await this.core.close();
    clearTimeout(late);
    clearTimeout(this.hold);
    await this.storage.close().catch(() => undefined);
    this.room.end();
    for (const leave of this.leave) leave();
    this.reportLeft(leftMessages);
    return { sent: this.core.sent - sent, left: leftMessages };
  }

  /** Sends until nothing is left, or nothing more can be sent within `timeout` milliseconds. */
  private async sendWithin(timeout: number): Promise<FlushResult> {
    const { clock, core, isInMemory } = this;
    const { sent } = core;
    const deadline = clock.monotonic() + timeout;
    for (;;) {
      const { left: leftMessages } = await core.flush();
      // Messages in a directory outlive the process: such a client keeps to its pauses.
      const wait = isInMemory && leftMessages > 0 ? core.hurryFor(deadline) : undefined;
      if (wait === undefined) return { sent: core.sent - sent, left: leftMessages };
      await new Promise<void>((resolve) => void clock.later(Math.ceil(wait), resolve));
    }
  }

  private reportAtExit(): void {
    this.room.end();
    this.reportLeft(this.left);
  }

  private reportLeft(count: number): void {
    if (!this.isInMemory || count === 0) return;
    this.report({ code: 'storage', message: 'the process ends with events in memory', count });
  }
}

/** The directory; blank if the option names none, undefined for storage in memory. */
function readDirectoryOption(storage: unknown): string | undefined {
  if (typeof storage !== 'object' || storage === null) return undefined;
  const { directory } = storage as { directory?: unknown };
  return typeof directory === 'string' && isText(directory) ? directory : '';
}

const isText = (value: unknown): boolean => typeof value === 'string' && value.trim() !== '';
