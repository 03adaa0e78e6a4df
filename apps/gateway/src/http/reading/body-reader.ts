import { type IncomingMessage } from 'node:http';
import { type ApiError, httpError } from '../../errors/api-error.js';

/**
 * Chunks that any body may have. Each further chunk must bring `bytesPerChunk` on average: no client writes single
 * bytes.
 */
const freeChunks = 256;
const bytesPerChunk = 512;
const minBuffer = 1_024;

export interface BodyLimits {
  /** Upper bound of the body, bytes. */
  limit: number;
  /** Reserves the memory that the body needs; false when there is too little. */
  holdMemory: (bytes: number, giveUp: () => void) => boolean;
  /** Counts a body that finds no memory, and returns its error. */
  rejectForMemory: () => ApiError;
}

type Done = (refused: ApiError | null, body?: Buffer) => void;

/**
 * Reads a body into one growing buffer. Chunks are copied, so that the counted memory is the memory in use: a chunk of
 * one byte takes 360 bytes when it is kept.
 */
export class BodyReader {
  private buffer: Buffer | undefined;
  private length = 0;
  private chunks = 0;
  private readonly declared: number;

  constructor(
    private readonly request: IncomingMessage,
    private readonly limits: BodyLimits,
    private readonly done: Done,
  ) {
    this.declared = Number(request.headers['content-length'] ?? limits.limit);
    request.on('data', this.take).on('end', this.end);
  }

  private readonly take = (chunk: Buffer): void => {
    const { limit } = this.limits;
    const length = this.length + chunk.length;
    this.chunks += 1;
    if (length > limit) this.stop(httpError.tooLarge(limit));
    else if (this.chunks > freeChunks + length / bytesPerChunk)
      this.stop(httpError.malformed('sent in too many chunks'));
    // Most bodies come in one chunk, which Node has already copied.
    else if (this.length === 0 && chunk.length === this.declared) this.buffer = chunk;
    else if (this.makeRoom(length)) chunk.copy(this.buffer ?? chunk, this.length);
    else this.stop(this.limits.rejectForMemory());
    this.length = length;
  };

  private readonly end = (): void => {
    this.leave();
    this.done(null, this.buffer?.subarray(0, this.length));
  };

  private makeRoom(length: number): boolean {
    const before = this.buffer;
    if (before && length <= before.length) return true;
    const size = Math.min(Math.max(length, 2 * this.length, minBuffer), Math.max(this.declared, length));
    const giveUp = (): void => this.stop(httpError.timedOut());
    if (!this.limits.holdMemory(size, giveUp)) return false;
    this.buffer = Buffer.allocUnsafeSlow(size);
    before?.copy(this.buffer, 0, 0, this.length);
    return true;
  }

  private stop(refused: ApiError): void {
    this.leave();
    this.buffer = undefined;
    this.done(refused);
  }

  private leave(): void {
    this.request.off('data', this.take).off('end', this.end);
  }
}
