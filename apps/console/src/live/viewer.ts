import { type ServerResponse } from 'node:http';
import { type LiveEvents, type LiveFrame, type RefusedRequest } from '@sluice/console-api';
import { type PayloadView } from '../payload/masks.js';
import { type CurrentUser } from '../session/current-user.js';
import { type FrameRows } from './frame-rows.js';
import { type LiveFilter, type LiveMessage } from './live-filter.js';

const ringRows = 200;
const frameRows = 50;
const frameCharacters = 65_536;
const stuckMs = 30_000;
const maxRefused = 50;

/** One open stream: the rows that wait for it, and the offsets that it has got. */
export class Viewer {
  private readonly ring: LiveMessage[] = [];
  private refused: RefusedRequest[] = [];
  private seen = 0;
  private skipped = 0;
  private dropped = 0;
  private lagMs: number | null = null;
  private stuckSince: number | undefined;
  private confirmed: Record<string, string> = {};
  private readonly sentOffsets = new Map<string, string>();

  constructor(
    readonly user: CurrentUser,
    readonly filter: LiveFilter,
    private readonly answer: ServerResponse,
    /** View of the payloads that the reader may see now. */
    private readonly view: () => PayloadView,
  ) {}

  /** Takes messages that were read, matching or not; of the matching ones, the newest are kept. */
  take(messages: readonly LiveMessage[], skipped: number): void {
    this.seen += messages.length;
    this.skipped += skipped;
    const matching = messages.filter((message) => message.matches(this.filter));
    this.ring.push(...matching);
    const newest = messages.at(-1);
    if (newest) this.lagMs = Math.max(0, Date.now() - newest.message.timestamp);
    if (this.ring.length > ringRows) this.dropped += this.ring.splice(0, this.ring.length - ringRows).length;
  }

  takeRefused(refused: RefusedRequest): void {
    if (this.filter.source !== undefined && this.filter.source !== refused.sourceIdentifier) return;
    if (this.filter.user !== undefined || this.filter.event !== undefined) return;
    this.refused.push(refused);
    if (this.refused.length > maxRefused) this.refused.shift();
  }

  /** Keeps offsets that have changed; -1 stands for a partition without a commit. */
  takeConfirmed(confirmed: Record<string, string>): void {
    for (const [place, offset] of Object.entries(confirmed)) {
      if (offset === '-1' || this.sentOffsets.get(place) === offset) continue;
      this.sentOffsets.set(place, offset);
      this.confirmed[place] = offset;
    }
  }

  /** Whether the reader has not read for so long that the stream must end. */
  isStuck(now: number): boolean {
    if (this.answer.writableLength === 0) this.stuckSince = undefined;
    else this.stuckSince ??= now;
    return this.stuckSince !== undefined && now - this.stuckSince > stuckMs;
  }

  /** Sends the next frame, unless the last one is not read yet. */
  sendFrame(frames: FrameRows): void {
    if (this.answer.writableLength > 0) return;
    const view = this.view();
    const rows = frames.encode(view, this.ring.splice(0, this.rowsThatFit(view)));
    const { refused, seen: seenCount, skipped, dropped, lagMs, confirmed } = this;
    if (rows.length + refused.length + seenCount + skipped + Object.keys(confirmed).length === 0) return;
    const frameWithoutRows = { refused, seen: seenCount, skipped, dropped, lagMs, confirmed } satisfies Omit<
      LiveFrame,
      'rows'
    >;
    // One write to the socket; the bytes of the rows belong to all viewers.
    this.answer.cork();
    this.answer.write('event: frame\ndata: {"rows":[');
    if (rows.length > 0) this.answer.write(rows);
    this.answer.write(`],${JSON.stringify(frameWithoutRows).slice(1)}\n\n`);
    this.answer.uncork();
    [this.refused, this.confirmed] = [[], {}];
    this.seen = this.skipped = this.dropped = 0;
  }

  private rowsThatFit(view: PayloadView): number {
    let characters = 0;
    const end = this.ring.findIndex((message, index) => {
      if (index === frameRows || characters >= frameCharacters) return true;
      characters += message.rowFor(view).length;
      return false;
    });
    return end < 0 ? this.ring.length : end;
  }

  send<E extends keyof LiveEvents>(event: E, data: LiveEvents[E]): void {
    this.answer.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
  }

  /** A comment keeps proxies from closing a quiet stream. */
  comment(): void {
    if (this.answer.writableLength === 0) this.answer.write(':\n\n');
  }

  end(reason: LiveEvents['end']['reason']): void {
    if (this.answer.writableLength === 0) this.send('end', { reason });
    this.answer.end();
    if (reason === 'slow') this.answer.destroy();
  }
}
