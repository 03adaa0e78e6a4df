// Reaches into Node: the parser of a connection, and its callback for pieces of bodies (discard-body.spec.ts).
import { type Socket } from 'node:net';

type Parser = Record<number, unknown> & { constructor: { kOnBody?: number } };

const mend = Symbol('mend');
type Discarding = Socket & { parser?: Parser; [mend]?: (() => void) | undefined };

/**
 * Lets Node's parser skip what still comes of a body, without handing the pieces on. One read holds 64 KiB, and as
 * chunks of one byte that is 11,000 pieces, each a Buffer and a call: 18 ms without this, 1 ms with it (measured).
 */
export function discardBody(socket: Discarding): void {
  const { parser } = socket;
  const place = parser?.constructor.kOnBody;
  if (parser === undefined || place === undefined) return;
  const onBody = parser[place];
  if (typeof onBody !== 'function') return;
  parser[place] = undefined;
  socket[mend] = () => {
    parser[place] = onBody;
  };
  socket.once('close', () => {
    parserFreed(socket);
  });
}

/**
 * Gives the callback back to a parser that Node takes from its connection: other connections use it again. To be called
 * at once when a connection stops being one of HTTP; when it closes, this is done already.
 */
export function parserFreed(socket: Discarding): void {
  socket[mend]?.();
  socket[mend] = undefined;
}
