// Reaches into Node's private parts: the parser of a connection and two of its callbacks (tested in
// discard-body.spec.ts and http-server.spec.ts).
import { type Socket } from 'node:net';

type CallbackName = 'kOnBody' | 'kOnExecute';
type Callback = (...values: unknown[]) => unknown;
type Parser = Record<number, unknown> & { constructor: Partial<Record<CallbackName, number>> };

const restore = Symbol('restore');
type Discarding = Socket & { parser?: Parser | undefined; [restore]?: (() => void) | undefined };

/** Whether Node's parser still reads the connection. */
export const hasParser = (socket: Discarding): boolean => Boolean(socket.parser);

/** Replaces a callback of the connection's parser. Returns a function that restores it; undefined if there is none. */
function replaceCallback(
  { parser }: Discarding,
  name: CallbackName,
  replacement: (original: Callback) => Callback | undefined,
): (() => void) | undefined {
  const index = parser?.constructor[name];
  if (parser === undefined || index === undefined) return undefined;
  const original = parser[index];
  if (typeof original !== 'function') return undefined;
  parser[index] = replacement(original as Callback);
  return () => {
    parser[index] = original;
  };
}

/**
 * Makes Node's parser skip the rest of a body without passing on the pieces. One read holds 64 KiB: in chunks of one
 * byte that is 11,000 pieces, each a Buffer and a call, which take 18 ms without this and 1 ms with it (measured).
 */
export function discardBody(socket: Discarding): void {
  const restoreCallback = replaceCallback(socket, 'kOnBody', () => undefined);
  if (restoreCallback === undefined) return;
  socket[restore] = restoreCallback;
  socket.once('close', () => releaseParser(socket));
}

/**
 * Pauses a connection after each read of its parser: one turn of the event loop would read 32 times, up to 2 MiB. Node
 * sets the callback for each connection, so it need not be restored.
 */
export function pauseAfterReads(socket: Discarding): void {
  replaceCallback(socket, 'kOnExecute', (original) => (...read) => {
    socket.pause();
    original(...read);
  });
}

/**
 * Restores the callback of a parser that Node is about to reuse for other connections. Must be called at once when a
 * connection stops speaking HTTP; the close of a connection calls it, too.
 */
export function releaseParser(socket: Discarding): void {
  socket[restore]?.();
  socket[restore] = undefined;
  socket.parser = undefined;
}
