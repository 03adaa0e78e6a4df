import { type Socket } from 'node:net';

/**
 * Connections that may have an unread file at a time. When all places are taken, the oldest gives way if it had time to
 * read. So clients that do not read keep others waiting for a moment only, and cannot make the server open and reset
 * connections as fast as it can.
 */
export class ReadingPlaces {
  /** The connections, oldest first, and when each got its place. */
  private readonly taken = new Map<Socket, number>();

  constructor(
    private readonly maxPlaces: number,
    /** Time for which a place is safe. */
    private readonly safeMs: number,
  ) {}

  /** Gives a place to a connection until it is closed. False when there is none. */
  take(socket: Socket): boolean {
    if (this.taken.has(socket)) return true;
    if (this.taken.size >= this.maxPlaces && !this.makeRoom()) return false;
    this.taken.set(socket, performance.now());
    socket.once('close', () => this.taken.delete(socket));
    return true;
  }

  get size(): number {
    return this.taken.size;
  }

  private makeRoom(): boolean {
    const [oldest] = this.taken;
    if (oldest === undefined || performance.now() - oldest[1] < this.safeMs) return false;
    const [socket] = oldest;
    this.taken.delete(socket);
    // A reset also frees the bytes that the system has buffered for it.
    socket.resetAndDestroy();
    return true;
  }
}
