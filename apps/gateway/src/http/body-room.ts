import { type ServerResponse } from 'node:http';

/** A body that comes in one piece and is no larger is bounded by the places of requests, and not counted. */
export const smallBodyBytes = 8_192;
/** A body that is still being read after this time gives way to others when there is no room. */
const slowAfterMs = 1_000;

interface Held {
  bytes: number;
  since: number;
  /** Gives the body up; undefined when it has been read. */
  giveUp: (() => void) | undefined;
}

/** The memory that bodies take, all that are being read or worked on together. */
export class BodyRoom {
  private readonly held = new Map<ServerResponse, Held>();
  private free: number;

  constructor(bytes: number) {
    this.free = bytes;
  }

  /**
   * What the body of an answer's request takes from now on, until the answer is over. False when there is not so much;
   * then it takes what it took before. `giveUp` belongs to a body that is still being read.
   */
  hold(answer: ServerResponse, bytes: number, giveUp?: () => void): boolean {
    const before = this.held.get(answer);
    // An answer that is over, because the client broke off while its body was inflated, would never give the room back.
    if (answer.destroyed || (bytes === 0 && !before)) return true;
    const more = bytes - (before?.bytes ?? 0);
    if (more > this.free && !this.makeRoom(more, answer)) return false;
    this.free -= more;
    if (before) Object.assign(before, { bytes, giveUp });
    else {
      this.held.set(answer, { bytes, since: performance.now(), giveUp });
      answer.once('close', () => {
        this.release(answer);
      });
    }
    return true;
  }

  private release(answer: ServerResponse): void {
    this.free += this.held.get(answer)?.bytes ?? 0;
    this.held.delete(answer);
  }

  private makeRoom(bytes: number, beneficiary: ServerResponse): boolean {
    const now = performance.now();
    for (const [answer, { since, giveUp }] of this.held) {
      // Oldest first: none behind it is slow either.
      if (now - since < slowAfterMs) break;
      if (!giveUp || answer === beneficiary) continue;
      this.release(answer);
      giveUp();
      if (bytes <= this.free) return true;
    }
    return bytes <= this.free;
  }
}
