import { type Socket } from 'node:net';

const isKnown = Symbol('isKnown');
type Connection = Socket & { [isKnown]?: true };

/** Marks a connection that has shown a valid key: it is not closed to make room for others. */
export function noStranger(socket: Connection): void {
  socket[isKnown] = true;
}

/** Closes the oldest idle connection without a valid key when there are too many connections. */
export class Strangers {
  /** Connections, oldest first, each with a function that tells whether closing it interrupts no work. */
  private readonly waiting = new Map<Connection, () => boolean>();
  private count = 0;

  constructor(private readonly mostConnections: number) {}

  add(socket: Connection, isIdle: () => boolean): void {
    this.count += 1;
    this.waiting.set(socket, isIdle);
    socket.once('close', () => {
      this.count -= 1;
      this.waiting.delete(socket);
    });
    if (this.count > this.mostConnections) this.makeRoom(socket);
  }

  private makeRoom(newcomer: Connection): void {
    for (const [socket, isIdle] of this.waiting) {
      // Removed only here, so that requests need not do it.
      if (socket[isKnown]) this.waiting.delete(socket);
      else if (isIdle()) {
        this.waiting.delete(socket);
        socket.destroy();
        return;
      }
    }
    newcomer.destroy();
  }
}
