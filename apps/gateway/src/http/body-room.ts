import { type ServerResponse } from 'node:http';

/** A body in one piece up to this size is not counted: the places of requests bound such bodies. */
export const smallBodyBytes = 8_192;
/** A body that is still being read after this time is given up when others find no room. */
const slowAfterMs = 1_000;

interface Held {
  bytes: number;
  since: number;
  /** Gives the body up; undefined when it has been read. */
  giveUp: (() => void) | undefined;
}

/** Bounds the memory that all bodies hold together while they are read or worked on. */
export class BodyRoom {
  private readonly held = new Map<ServerResponse, Held>();
  private free: number;

  constructor(bytes: number) {
    this.free = bytes;
  }

  /**
   * Sets the memory that a request's body holds until its answer is over. Returns false, and changes nothing, when
   * there is too little. `giveUp` is given only for a body that is still being read.
   */
  hold(answer: ServerResponse, bytes: number, giveUp?: () => void): boolean {
    const before = this.held.get(answer);
    // An answer that is over (the client disconnected while its body was inflated) would never release the memory.
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
      // The map is ordered by age: no later body is slow either.
      if (now - since < slowAfterMs) break;
      if (!giveUp || answer === beneficiary) continue;
      this.release(answer);
      giveUp();
      if (bytes <= this.free) return true;
    }
    return bytes <= this.free;
  }
}
