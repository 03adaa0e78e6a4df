import { type PayloadView } from '../payload/masks.js';
import { type LiveMessage } from './live-filter.js';

interface Written {
  readonly view: PayloadView;
  readonly messages: readonly LiveMessage[];
  readonly bytes: Buffer;
}

/** Rows of the frames that are sent at the same moment, as bytes that all viewers of the same rows share. */
export class FrameRows {
  private readonly known: Written[] = [];

  /** The rows as members of a JSON list. */
  bytesOf(view: PayloadView, messages: readonly LiveMessage[]): Buffer {
    if (messages.length === 0) return none;
    const known = this.known.find((one) => one.view === view && areSame(one.messages, messages));
    if (known) return known.bytes;
    const bytes = Buffer.from(messages.map((message) => message.rowFor(view)).join());
    this.known.push({ view, messages, bytes });
    return bytes;
  }
}

const none = Buffer.alloc(0);

const areSame = (some: readonly LiveMessage[], others: readonly LiveMessage[]): boolean =>
  some.length === others.length && some.every((message, index) => message === others[index]);
