import { type createRequire } from 'node:module';

/** The part of kafkajs' Connection (network/connection.js) that puts answers together. */
interface Connection {
  readonly authHandlers: unknown;
  readonly requestQueue: {
    fulfillRequest(answer: { size: number; correlationId: number; payload: Buffer }): void;
  };
  readonly socket: unknown;
  /** An answer that has begun. */
  beginning?: Answer | undefined;
  processData(data: Buffer): void;
}

const sizeLength = 4;

/** Collects the bytes of one answer, its size first, into a buffer of exactly that size. */
class Answer {
  /** @param socket that it comes from: the connection may have another by the time of the next piece */
  constructor(readonly socket: unknown) {}

  private readonly size = Buffer.alloc(sizeLength);
  private bytes: Buffer | undefined;
  private filled = 0;

  get whole(): Buffer | undefined {
    return this.bytes?.length === this.filled ? this.bytes : undefined;
  }

  /** Copies as much as belongs to it and returns how many bytes that is. */
  take(data: Buffer, from: number): number {
    const target = this.bytes ?? this.size;
    const taken = data.copy(target, this.filled, from);
    this.filled += taken;
    if (this.bytes === undefined && this.filled === sizeLength) {
      this.bytes = Buffer.allocUnsafeSlow(this.size.readInt32BE(0));
      this.filled = 0;
    }
    return taken;
  }
}

/**
 * kafkajs keeps all pieces of an answer until it is whole and then copies it at once. Here each piece is copied to its
 * place when it comes, while it is still in the processor's cache, and can be overwritten after it: `socket.ts` reads
 * all of them into one buffer.
 */
export function replaceResponseBytes(require: ReturnType<typeof createRequire>): void {
  const { prototype } = require('kafkajs/src/network/connection.js') as { prototype: Connection };
  // eslint-disable-next-line @typescript-eslint/unbound-method -- it is called with `call`, on the connection it belongs to
  const original = prototype.processData;
  prototype.processData = function (this: Connection, data: Buffer): void {
    // What is said before the first request, to authenticate, has frames of its own.
    if (this.authHandlers) original.call(this, Buffer.from(data));
    else collect(this, data);
  };
}

function collect(connection: Connection, data: Buffer): void {
  for (let at = 0; at < data.length;) {
    const { beginning, socket } = connection;
    const answer: Answer = beginning && beginning.socket === socket ? beginning : new Answer(socket);
    connection.beginning = answer;
    at += answer.take(data, at);
    const { whole } = answer;
    if (whole === undefined) continue;
    connection.beginning = undefined;
    const payload = whole.subarray(sizeLength);
    connection.requestQueue.fulfillRequest({ size: whole.length, correlationId: whole.readInt32BE(0), payload });
  }
}
