import { type Batcher } from './batcher.js';
import { utf8Bytes } from '../message/batch.js';
import { type CallOptions } from '../client/client.js';
import { maxMessageBytes } from '../message/free-form.js';
import { type Identity } from '../client/identity.js';
import {
  check,
  requireTimestamp,
  type Message,
  requireObject,
  registrationEvent,
  formatMessage,
  formatTimestamp,
} from '../message/message.js';
import { type Parts } from '../client/parts.js';
import { type Plugins } from './plugins.js';

/** The members of a message that a call gives. */
type Fields = Pick<Message, 'type' | 'event' | 'properties' | 'traits'>;

/** Makes messages from calls and gives them to the batcher. */
export class Recording {
  readonly #parts: Parts;
  readonly #identity: Identity;
  readonly #plugins: Plugins;
  readonly #batcher: Batcher;
  /** Id of the numbered messages; made for the first one. */
  #stream: string | undefined;
  #seq = 0;
  #hasBadClock = false;

  constructor(parts: Parts, identity: Identity, plugins: Plugins, batcher: Batcher) {
    this.#parts = parts;
    this.#identity = identity;
    this.#plugins = plugins;
    this.#batcher = batcher;
  }

  /** Returns false if the message breaks a rule, which is reported, or if a plugin leaves it out. */
  take(fields: Fields, options: CallOptions): boolean {
    try {
      const message = this.#plugins.apply(this.#buildMessage(fields, options));
      if (!message) return false;
      const text = this.#formatMessage(message);
      const bytes = utf8Bytes(text);
      check(bytes <= maxMessageBytes, 'size');
      this.#seq++;
      const { type, event } = message;
      this.#batcher.add(type === 'track' && event === registrationEvent ? 'device' : type, text, bytes);
      return true;
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : '';
      this.#parts.reporter.report('invalid', `${fields.event ?? fields.type}: ${reason}`, { cause });
      return false;
    }
  }

  /** The current time; undefined if the clock is outside the range that the service accepts. */
  now(): string | undefined {
    const time = formatTimestamp(this.#parts.clock.now());
    if (time === undefined && !this.#hasBadClock) {
      this.#hasBadClock = true;
      this.#parts.reporter.report('invalid', 'wrong clock');
    }
    return time;
  }

  /** Begins a new stream, so that it cannot be linked to the old one. */
  erase(): void {
    this.#stream = undefined;
    this.#seq = 0;
  }

  #buildMessage(fields: Fields, { context, timestamp }: CallOptions): Message {
    return {
      ...fields,
      userId: this.#identity.userId,
      anonymousId: this.#identity.anonymousId,
      context: { ...this.#parts.context?.(), ...requireObject(context ?? {}, 'context') },
      timestamp: timestamp == null ? this.now() : requireTimestamp(timestamp),
    };
  }

  #formatMessage(message: Message): string {
    const { sdk, random } = this.#parts;
    const stream = (this.#stream ??= random.uuid('stream'));
    const { device, lost } = this.#identity;
    return formatMessage(message, { ...sdk, device, stream, seq: this.#seq, lost }, (path) => {
      this.#parts.reporter.debug?.(`${path} is left out`);
    });
  }
}
