import { type Client, createCore, type LifecycleEvent, type QueueStore } from '@sluice/sdk-core';
import { pageTransport } from './page-transport.js';
import { type SharedByTabs } from './surroundings.js';

/** One client of a device, from its start to its kill. It knows which of its messages it took, and which are stored. */
export class Tab {
  isAlive = true;
  takenCount = 0;
  readonly stream: string;
  private readonly client: Client;
  private readonly listeners = new Set<(event: LifecycleEvent) => void>();
  /** Numbers of messages that the device's store has had. */
  private readonly kept = new Set<number>();

  constructor(device: SharedByTabs, isSender: () => boolean) {
    const { fleet } = device;
    this.stream = fleet.newId('stream');
    const credentials = fleet.credentials;
    this.client = createCore(
      {
        credentials,
        host: fleet.host,
        errorHandler: ({ code, count = 0 }) => fleet.reported(code, count),
      },
      {
        sdk: { name: 'sluice-faults', version: '1.0.0' },
        clock: fleet.clock.clockFor(device, this),
        random: {
          fraction: fleet.random,
          uuid: (purpose) => (purpose === 'stream' ? this.stream : fleet.newId(purpose)),
        },
        values: {
          get: (name) => device.values.get(name) ?? null,
          set: (name, value) => void device.values.set(name, value),
          clear: () => device.values.clear(),
        },
        queue: this.makeStore(device),
        transport: pageTransport(this, fleet.mutant),
        lifecycle: {
          subscribe: (listener) => {
            this.listeners.add(listener);
            return () => this.listeners.delete(listener);
          },
          isSender,
        },
      },
    );
  }

  track(): void {
    if (this.client.track('faults', { n: this.takenCount, text: 'x'.repeat(100) })) this.takenCount++;
  }

  identify(userId: string): void {
    if (this.client.identify(userId, { n: this.takenCount })) this.takenCount++;
  }

  signal(event: LifecycleEvent): void {
    for (const listener of this.listeners) listener(event);
  }

  flush(): void {
    void this.client.flush();
  }

  /** Ends the client in the midst of its work. Returns the numbers of the messages that were only in its memory. */
  kill(): ReadonlySet<number> {
    this.isAlive = false;
    return new Set(Array.from({ length: this.takenCount }, (_, seq) => seq).filter((seq) => !this.kept.has(seq)));
  }

  private makeStore({ queue }: SharedByTabs): QueueStore {
    return {
      list: () => queue.list(),
      append: (batch, index, text) => {
        const isTaken = queue.append({ ...batch }, index, text);
        if (isTaken) this.kept.add(readNumber(text));
        return isTaken;
      },
      seal: (key) => queue.seal(key),
      read: (key) => queue.read(key),
      update: (batch, doubts) => queue.update({ ...batch }, doubts),
      replace: (key, parts) => queue.replace(key, parts),
      remove: (batch) => queue.remove({ ...batch }),
      clear: (source) => queue.clear(source),
    };
  }
}

const readNumber = (text: string): number =>
  (JSON.parse(text) as { context: { sdk: { seq: number } } }).context.sdk.seq;
