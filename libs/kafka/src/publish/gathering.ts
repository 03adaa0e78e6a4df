import { maxBytesPerSend, maxMessagesPerSend, type OutgoingMessage } from './outgoing-message.js';

const lingerMs = 2;
/** Upper bound of messages held: waiting, under way, or kept by kafkajs after their deadline. */
const maxMessagesHeld = 100_000;
const maxBytesHeld = 64 * 1024 * 1024;

interface WaitingRequest {
  messages: readonly OutgoingMessage[];
  /** Bytes of each message's value, counted once: counting takes longer than writing. */
  sizes: readonly number[];
  /** Time at which its request was accepted (performance.now). */
  acceptedAt: number;
  resolve: () => void;
  reject: (error: Error) => void;
}

/** The messages of several requests for one send. */
export class GatheredSend {
  readonly requests: WaitingRequest[] = [];
  messages = 0;
  bytes = 0;

  get oldestAt(): number {
    return this.requests[0]?.acceptedAt ?? Infinity;
  }
}

/** Gathers the messages of concurrent requests into sends, and bounds how much is held in memory for them. */
export class Gathering {
  private open = new GatheredSend();
  /** Sends that are full or have gathered long enough. */
  private ready: GatheredSend[] = [];
  private linger: NodeJS.Timeout | undefined;
  private heldMessages = 0;
  private heldBytes = 0;

  /** @param onReady called when a send can be taken */
  constructor(private readonly onReady: () => void) {}

  /** Messages that were added and are not released yet. */
  get messages(): number {
    return this.heldMessages;
  }

  hasRoomFor(messages: number, bytes: number): boolean {
    return this.heldMessages + messages <= maxMessagesHeld && this.heldBytes + bytes <= maxBytesHeld;
  }

  /** Adds a request. Settles when the taker of its send resolves or rejects it. */
  add(
    messages: readonly OutgoingMessage[],
    sizes: readonly number[],
    bytes: number,
    acceptedAt: number,
  ): Promise<void> {
    if (this.open.bytes + bytes > maxBytesPerSend) this.flush();
    return new Promise((resolve, reject) => {
      const { open } = this;
      open.requests.push({ messages, sizes, acceptedAt, resolve, reject });
      open.messages += messages.length;
      open.bytes += bytes;
      this.heldMessages += messages.length;
      this.heldBytes += bytes;
      if (open.messages >= maxMessagesPerSend) this.flush();
      else this.linger ??= setTimeout(() => this.flush(), lingerMs);
    });
  }

  /** Makes the present send ready at once. */
  flush(): void {
    this.close();
    this.onReady();
  }

  take(): GatheredSend | undefined {
    return this.ready.shift();
  }

  /** Takes all sends, including the one that is still gathering. */
  takeAll(): GatheredSend[] {
    this.close();
    return this.ready.splice(0);
  }

  /** Stops counting the messages of a taken send as held. */
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
