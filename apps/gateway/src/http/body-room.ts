import { type IncomingMessage, type ServerResponse } from 'node:http';

/** The places of requests bound what small bodies take; only larger ones are counted. */
export const smallBodyBytes = 8_192;

/** The memory that bodies may take, all that are being read or worked on together. */
export class BodyRoom {
  private readonly taken = new Map<IncomingMessage, number>();
  private free: number;

  constructor(bytes: number) {
    this.free = bytes;
  }

  /** Takes what a body may need until its answer is sent or the client has broken off. False when there is not so much. */
  take(bytes: number, answer: ServerResponse): boolean {
    if (bytes <= smallBodyBytes) return true;
    if (bytes > this.free) return false;
    this.free -= bytes;
    this.taken.set(answer.req, bytes);
    answer.once('close', () => {
      this.giveBack(answer.req, 0);
    });
    return true;
  }

  /** Gives back what the body turned out not to need. */
  giveBack(request: IncomingMessage, keptBytes: number): void {
    const taken = this.taken.get(request);
    if (taken === undefined || keptBytes >= taken) return;
    this.free += taken - keptBytes;
    if (keptBytes === 0) this.taken.delete(request);
    else this.taken.set(request, keptBytes);
  }
}
