import { type ServerResponse } from 'node:http';
import { SourceParts } from '../../limits/source-parts.js';

/** A body in one piece up to this size is not counted: the places of requests bound such bodies. */
export const smallBodyBytes = 8_192;
/** A body that is still being read after this time is given up when others find no room. */
const slowAfterMs = 1_000;

interface HeldBody {
  bytes: number;
  source: string | undefined;
  since: number;
  /** Gives the body up; undefined when it has been read. */
  giveUp: (() => void) | undefined;
}

/**
 * Bounds the memory that all bodies hold together while they are read or worked on, and the part of it that each source
 * may hold.
 */
export class BodyRoom {
  private readonly held = new Map<ServerResponse, HeldBody>();
  private readonly bySource = new SourceParts();
  private free: number;

  constructor(private readonly bytes: number) {
    this.free = bytes;
  }

  /** Whether a source that needs `moreBytes` would exceed its part. */
  isSpentBy(source: string | undefined, moreBytes = 1): boolean {
    return this.bySource.isSpentBy(source, moreBytes, this.bytes - this.free, this.bytes);
  }

  /**
   * Sets the memory that a request's body holds until its answer is over. Returns false, and changes nothing, when
   * there is too little. `source` is undefined without a key. `giveUp` is given only while the body is being read.
   */
  hold(answer: ServerResponse, bytes: number, source: string | undefined, giveUp?: () => void): boolean {
    const heldBefore = this.held.get(answer);
    // An answer that is over (the client disconnected while its body was inflated) would never release the memory.
    if (answer.destroyed || (bytes === 0 && !heldBefore)) return true;
    const moreBytes = bytes - (heldBefore?.bytes ?? 0);
    if (moreBytes > 0 && this.isSpentBy(source, moreBytes) && !this.makeRoom(moreBytes, answer, source)) return false;
    if (moreBytes > this.free && !this.makeRoom(moreBytes, answer)) return false;
    this.free -= moreBytes;
    this.bySource.add(source, moreBytes);
    if (heldBefore) Object.assign(heldBefore, { bytes, giveUp });
    else {
      this.held.set(answer, { bytes, source, since: performance.now(), giveUp });
      answer.once('close', () => this.release(answer));
    }
    return true;
  }

  /** Adds memory that a request holds until its answer is over. Returns false when there is too little. */
  holdMore(answer: ServerResponse, moreBytes: number, source: string | undefined): boolean {
    return this.hold(answer, (this.held.get(answer)?.bytes ?? 0) + moreBytes, source);
  }

  private release(answer: ServerResponse): void {
    const heldBody = this.held.get(answer);
    if (heldBody === undefined) return;
    this.free += heldBody.bytes;
    this.bySource.add(heldBody.source, -heldBody.bytes);
    this.held.delete(answer);
  }

  /** Gives up slow bodies, only those of one source if it is given, until there is room. Returns whether there is. */
  private makeRoom(bytes: number, beneficiary: ServerResponse, onlySource?: string): boolean {
    const now = performance.now();
    const isEnough = (): boolean => bytes <= this.free && !this.isSpentBy(onlySource, bytes);
    for (const [answer, { since, giveUp, source }] of this.held) {
      // The map is ordered by age: no later body is slow either.
      if (now - since < slowAfterMs) break;
      if (!giveUp || answer === beneficiary || (onlySource !== undefined && source !== onlySource)) continue;
      this.release(answer);
      giveUp();
      if (isEnough()) return true;
    }
    return isEnough();
  }
}
