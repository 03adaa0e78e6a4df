import { maxBytesPerSend, maxMessagesPerSend, type OutgoingMessage } from './outgoing-message.js';

const lingerMs = 2;
/** Of all that wait or are under way; those that kafkajs has not let go of after their deadline included. */
const maxMessagesHeld = 100_000;
const maxBytesHeld = 64 * 1024 * 1024;

interface Waiting {
  messages: readonly OutgoingMessage[];
  /** Bytes of each message's value; counting them takes longer than writing them. */
  sizes: readonly number[];
  /** When its request was accepted (performance.now). */
  at: number;
  resolve: () => void;
  reject: (error: Error) => void;
}

/** The messages of some requests, for one send. */
export class GatheredSend {
  readonly requests: Waiting[] = [];
  messages = 0;
  bytes = 0;

  get oldestAt(): number {
    return this.requests[0]?.at ?? Infinity;
  }
}

/** Gathers the messages of concurrent requests into sends, and bounds how much is held in memory for them. */
export class Gathering {
  private open = new GatheredSend();
  /** Full, or gathered for long enough. */
  private ready: GatheredSend[] = [];
  private linger: NodeJS.Timeout | undefined;
  private heldMessages = 0;
  private heldBytes = 0;

  /** @param onReady called when there is something to take. */
  constructor(private readonly onReady: () => void) {}

  /** Messages that were added and not released. */
  get messages(): number {
    return this.heldMessages;
  }

  hasRoomFor(messages: number, bytes: number): boolean {
    return this.heldMessages + messages <= maxMessagesHeld && this.heldBytes + bytes <= maxBytesHeld;
  }

  /** Settles as the request is resolved or rejected by who takes its send. */
  add(messages: readonly OutgoingMessage[], sizes: readonly number[], bytes: number, at: number): Promise<void> {
    if (this.open.bytes + bytes > maxBytesPerSend) this.flush();
    return new Promise((resolve, reject) => {
      const { open } = this;
      open.requests.push({ messages, sizes, at, resolve, reject });
      open.messages += messages.length;
      open.bytes += bytes;
      this.heldMessages += messages.length;
      this.heldBytes += bytes;
      if (open.messages >= maxMessagesPerSend) this.flush();
      else
        this.linger ??= setTimeout(() => {
          this.flush();
        }, lingerMs);
    });
  }

  /** Ends the gathering of the moment. */
  flush(): void {
    this.close();
    this.onReady();
  }

  take(): GatheredSend | undefined {
    return this.ready.shift();
  }

  /** Takes what is ready and what is still gathered. */
  takeAll(): GatheredSend[] {
    this.close();
    return this.ready.splice(0);
  }

  /** What was taken is not held any more. */
  release({ messages, bytes }: GatheredSend): void {
    this.heldMessages -= messages;
    this.heldBytes -= bytes;
  }

  private close(): void {
    clearTimeout(this.linger);
    this.linger = undefined;
    if (this.open.requests.length === 0) return;
    this.ready.push(this.open);
    this.open = new GatheredSend();
  }
}
