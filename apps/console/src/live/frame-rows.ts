import { type PayloadView } from '../payload/masks.js';
import { type LiveMessage } from './live-filter.js';

interface WrittenRows {
  readonly view: PayloadView;
  readonly messages: readonly LiveMessage[];
  readonly bytes: Buffer;
}

/** Rows of the frames that are sent at the same moment, as bytes that all viewers of the same rows share. */
export class FrameRows {
  private readonly written: WrittenRows[] = [];

  /** The rows as members of a JSON list. */
  encode(view: PayloadView, messages: readonly LiveMessage[]): Buffer {
    if (messages.length === 0) return noBytes;
    const match = this.written.find((candidate) => candidate.view === view && areSame(candidate.messages, messages));
    if (match) return match.bytes;
    const bytes = Buffer.from(messages.map((message) => message.rowFor(view)).join());
    this.written.push({ view, messages, bytes });
    return bytes;
  }
}

const noBytes = Buffer.alloc(0);

const areSame = (messages: readonly LiveMessage[], otherMessages: readonly LiveMessage[]): boolean =>
  messages.length === otherMessages.length && messages.every((message, index) => message === otherMessages[index]);
