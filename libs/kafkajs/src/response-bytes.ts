// Takes the place of kafkajs/src/network/connection.js, in the method that puts answers together.
import { type createRequire } from 'node:module';
import { replaceModule } from './replace-module.js';

/** The part of kafkajs' Connection that puts answers together. */
export interface BrokerConnection {
  readonly authHandlers: unknown;
  readonly requestQueue: {
    fulfillRequest(answer: { size: number; correlationId: number; payload: Buffer }): void;
  };
  readonly socket: unknown;
  processData(data: Buffer): void;
}
export type ConnectionClass = new (options: never) => BrokerConnection;

const sizeLength = 4;

/** Collects the bytes of one answer, its size first, into a buffer of exactly that size. */
class Answer {
  /** @param socket of its first byte: when the next piece comes, the connection may have another. */
  constructor(readonly socket: unknown) {}

  private readonly size = Buffer.alloc(sizeLength);
  private bytes: Buffer | undefined;
  private filled = 0;

  get whole(): Buffer | undefined {
    return this.bytes?.length === this.filled ? this.bytes : undefined;
  }

  /** Copies the bytes that belong to it and returns their number. */
  take(data: Buffer, from: number): number {
    const target = this.bytes ?? this.size;
    const copiedBytes = data.copy(target, this.filled, from);
    this.filled += copiedBytes;
    if (this.bytes === undefined && this.filled === sizeLength) {
      this.bytes = Buffer.allocUnsafeSlow(this.size.readInt32BE(0));
      this.filled = 0;
    }
    return copiedBytes;
  }
}

/**
 * kafkajs keeps all pieces of an answer until it is whole, then copies them. The replacement copies each piece to its
 * place when it arrives, while it is still in the processor's cache. The next piece may overwrite this one, because
 * `socket.ts` reads all pieces into one buffer.
 */
export function replaceResponseBytes(require: ReturnType<typeof createRequire>): void {
  replaceModule(require, 'kafkajs/src/network/connection.js', connectionWith);
}

export function connectionWith(Original: ConnectionClass): ConnectionClass {
  return class CopyingConnection extends Original {
    /** An answer of which some bytes have come. */
    private beginning: Answer | undefined;

    override processData(data: Buffer): void {
      // Answers to authentication have frames of their own, and come before all others.
      if (this.authHandlers) super.processData(Buffer.from(data));
      else this.collect(data);
    }

    private collect(data: Buffer): void {
      for (let position = 0; position < data.length;) {
        const { beginning, socket } = this;
        const answer: Answer = beginning && beginning.socket === socket ? beginning : new Answer(socket);
        this.beginning = answer;
        position += answer.take(data, position);
        const { whole } = answer;
        if (whole === undefined) continue;
        this.beginning = undefined;
        const payload = whole.subarray(sizeLength);
        this.requestQueue.fulfillRequest({ size: whole.length, correlationId: whole.readInt32BE(0), payload });
      }
    }
  };
}
