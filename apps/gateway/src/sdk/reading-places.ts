import { type Socket } from 'node:net';

/**
 * Connections that may have an unread file at a time. The oldest gives way to the next one: who loads a page reads a
 * file in a moment, and who does not read must not keep others from it.
 */
export class ReadingPlaces {
  private readonly taken = new Set<Socket>();

  constructor(private readonly most: number) {}

  /** Gives a place to a connection until it is closed. */
  take(socket: Socket): void {
    if (this.taken.has(socket)) return;
    this.taken.add(socket);
    socket.once('close', () => this.taken.delete(socket));
    if (this.taken.size <= this.most) return;
    const [oldest] = this.taken;
    if (oldest === undefined) return;
    this.taken.delete(oldest);
    // What the system has buffered for it is freed, too.
    oldest.resetAndDestroy();
  }

  get size(): number {
    return this.taken.size;
  }
}
