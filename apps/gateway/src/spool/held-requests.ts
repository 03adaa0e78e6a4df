import { type OutgoingMessage } from '@sluice/kafka';

/** Upper bound of a hold: with the deadlines of Kafka and of the disk, a request is answered within 5 s. */
const timeoutMs = 600;
const maxMessages = 20_000;
const maxBytes = 8 * 1024 * 1024;

interface HeldRequest {
  readonly messages: readonly OutgoingMessage[];
  readonly acceptedAt: number;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** Makes the messages of one request durable; `acceptedAt` is the time of its acceptance (performance.now). */
export type Publish = (messages: readonly OutgoingMessage[], acceptedAt: number) => Promise<void>;

/**
 * Requests that wait in memory while the last messages of the disk go to Kafka. They are released in order and all at
 * once: to Kafka when it has taken the last messages, else to the disk.
 */
export class HeldRequests {
  private readonly requests: HeldRequest[] = [];
  private readonly timer: NodeJS.Timeout;
  private messages = 0;
  private bytes = 0;

  /** @param onTooLong called after 600 ms, and when the requests are too many or too large; must release them. */
  constructor(private readonly onTooLong: () => void) {
    this.timer = setTimeout(onTooLong, timeoutMs);
  }

  hold(messages: readonly OutgoingMessage[]): Promise<void> {
    return new Promise((resolve, reject) => {
      this.requests.push({ messages, acceptedAt: performance.now(), resolve, reject });
      this.messages += messages.length;
      for (const { value } of messages) this.bytes += value.length;
      if (this.messages > maxMessages || this.bytes > maxBytes) this.onTooLong();
    });
  }

  /** Publishes all requests in the same tick. Resolves when all are answered. */
  async release(publish: Publish): Promise<void> {
    clearTimeout(this.timer);
    const answers = this.requests.map(({ messages, acceptedAt, resolve, reject }) =>
      publish(messages, acceptedAt).then(resolve, reject),
    );
    await Promise.all(answers);
  }
}
