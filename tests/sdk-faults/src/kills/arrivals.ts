import { ModelServer } from '@sluice/sdk-contract';

/** Numbers that are reserved for the messages of one process. */
export const eventsPerLife = 100_000;

/** A message of a program: its number, and in some languages the process that made it. */
export interface ArrivedMessage {
  readonly context: { readonly sdk: { readonly device: string; readonly stream: string; readonly seq: number } };
  readonly properties?: { readonly n: number; readonly life?: string };
  readonly traits?: { readonly n: number };
}

/** The number of a message among all of its device; NaN if it has none. */
export const messageNumber = ({ properties, traits }: ArrivedMessage): number =>
  (properties?.n ?? traits?.n ?? NaN) + Number(properties?.life ?? 0) * eventsPerLife;

interface Request {
  readonly url: string;
  readonly key: string;
  readonly body: string;
  readonly list: readonly ArrivedMessage[];
}

/** Messages that the requests of a device brought to the service. */
export class DeviceArrivals {
  requests = 0;
  /** Requests whose body was not a list of whole messages. */
  torn = 0;
  /** Messages that came with other bytes than under the same key and place before. */
  changed = 0;
  private readonly model = new ModelServer();
  private readonly texts = new Map<string, string>();

  take({ url, key, body, list }: Request): void {
    this.model.take({ method: 'POST', url, headers: { 'Idempotency-Key': key }, body, keepalive: false });
    for (const [place, message] of list.entries()) {
      const text = JSON.stringify(message);
      const before = this.texts.get(`${key} ${place}`);
      if (before !== undefined && before !== text) this.changed++;
      this.texts.set(`${key} ${place}`, text);
    }
  }

  /** Number of times that the service stored the message with each number. */
  get stored(): Map<number, number> {
    const counts = new Map<number, number>();
    for (const message of this.messages) {
      const number = messageNumber(message);
      counts.set(number, (counts.get(number) ?? 0) + 1);
    }
    return counts;
  }

  /** Numbers of the messages that came, by their stream. */
  get streams(): Map<string, Set<number>> {
    const streams = new Map<string, Set<number>>();
    for (const { context } of this.messages) {
      const { stream, seq } = context.sdk;
      streams.set(stream, (streams.get(stream) ?? new Set()).add(seq));
    }
    return streams;
  }

  /** Number of different device ids in the messages. */
  get devices(): number {
    return new Set(this.messages.map(({ context }) => context.sdk.device)).size;
  }

  private get messages(): readonly ArrivedMessage[] {
    return this.model.stored as unknown as readonly ArrivedMessage[];
  }
}
