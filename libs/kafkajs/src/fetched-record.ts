// Takes the place of the records that kafkajs/src/protocol/recordBatch/record/v0/decoder.js makes.
import { RecordReader } from './record-reader.js';

/** The fields of a batch that kafkajs expects on each record. 64-bit numbers are text. */
export interface BatchContext {
  readonly firstOffset: string;
  readonly firstTimestamp: string;
  readonly partitionLeaderEpoch: number;
  readonly inTransaction: boolean;
  readonly isControlBatch: boolean;
  readonly lastOffsetDelta: number;
  readonly producerId: string;
  readonly producerEpoch: number;
  readonly firstSequence: number;
  readonly maxTimestamp: string;
  /** 0: the timestamps are the producers', 1: the broker's. */
  readonly timestampType: number;
  readonly magicByte: number;
}

/** The part that the records of a batch share. */
export interface RecordOrigin {
  readonly context: BatchContext;
  readonly firstOffset: number | bigint;
  readonly firstTimestamp: number | bigint;
}

type HeaderValue = Buffer | Buffer[] | null;

const brokersTime = 1;

/**
 * A message with kafkajs' fields that is a view of the fetched bytes. Key, value and headers are made again each time
 * they are read, because keeping one would double the memory of a record.
 */
export class FetchedRecord {
  readonly attributes: number;
  private readonly timestampDelta: number | bigint;
  readonly offsetDelta: number;
  private readonly keyLength: number;
  /** Below 0 for null. The value ends where the headers begin. */
  private readonly rawValueLength: number;
  private keyAt: number;
  private headersAt: number;

  /** Reads the record whose length was just read. @throws RangeError when its parts do not fit into it. */
  constructor(
    private readonly origin: RecordOrigin,
    private bytes: Buffer,
    start: number,
    private end: number,
  ) {
    const reader = new RecordReader(bytes, start + 1, end);
    this.attributes = bytes.readInt8(start);
    this.timestampDelta = reader.varLong();
    this.offsetDelta = reader.varInt();
    this.keyLength = reader.varInt();
    this.keyAt = reader.pass(this.keyLength);
    this.rawValueLength = reader.varInt();
    reader.pass(this.rawValueLength);
    this.headersAt = reader.position;
    passHeaders(reader);
  }

  get offset(): string {
    return sum(this.origin.firstOffset, this.offsetDelta);
  }

  get timestamp(): string {
    const { context, firstTimestamp } = this.origin;
    return context.timestampType === brokersTime ? context.maxTimestamp : sum(firstTimestamp, this.timestampDelta);
  }

  get key(): Buffer | null {
    return this.keyLength < 0 ? null : this.bytes.subarray(this.keyAt, this.keyAt + this.keyLength);
  }

  get value(): Buffer | null {
    return this.rawValueLength < 0 ? null : this.bytes.subarray(this.headersAt - this.rawValueLength, this.headersAt);
  }

  /** Bytes of the value; 0 for null. */
  get valueLength(): number {
    return Math.max(this.rawValueLength, 0);
  }

  get batchContext(): BatchContext {
    return this.origin.context;
  }

  get magicByte(): number {
    return this.origin.context.magicByte;
  }

  get isControlRecord(): boolean {
    return this.origin.context.isControlBatch;
  }

  /** True for the first record of a batch. */
  get opensBatch(): boolean {
    return this.offsetDelta === 0;
  }

  /** Bytes of key, value and headers together. */
  get length(): number {
    return this.end - this.keyAt;
  }

  /** The memory that cannot be freed while this record is there. */
  get pinned(): ArrayBufferLike {
    return this.bytes.buffer;
  }

  get pinnedBytes(): number {
    return this.pinned.byteLength;
  }

  /** Copies its bytes to the target and becomes a view of the target; returns the offset of their end. */
  moveTo(target: Buffer, start: number): number {
    this.bytes.copy(target, start, this.keyAt, this.end);
    this.end += start - this.keyAt;
    this.headersAt += start - this.keyAt;
    this.keyAt = start;
    this.bytes = target;
    return this.end;
  }

  /** A name that occurs several times has an array, as with kafkajs. */
  get headers(): Record<string, HeaderValue> {
    const headers = Object.create(null) as Record<string, HeaderValue>;
    const reader = new RecordReader(this.bytes, this.headersAt, this.end);
    for (let remaining = reader.varInt(); remaining > 0; remaining--) {
      const nameLength = reader.varInt();
      const nameAt = reader.pass(nameLength);
      const name = this.bytes.toString('utf8', nameAt, nameAt + nameLength);
      headers[name] = joinValues(headers[name], this.readValue(reader));
    }
    return headers;
  }

  /** The encoded headers of the record, their number first, with their order and repeated names. */
  get encodedHeaders(): Buffer {
    const reader = new RecordReader(this.bytes, this.headersAt, this.end);
    passHeaders(reader);
    return this.bytes.subarray(this.headersAt, reader.position);
  }

  /** `headers[name]` without decoding the other headers. The name is ASCII. */
  header(name: string): HeaderValue | undefined {
    let value: HeaderValue | undefined;
    const reader = new RecordReader(this.bytes, this.headersAt, this.end);
    for (let remaining = reader.varInt(); remaining > 0; remaining--) {
      const nameLength = reader.varInt();
      const nameAt = reader.pass(nameLength);
      if (nameLength === name.length && this.isAt(nameAt, name)) value = joinValues(value, this.readValue(reader));
      else reader.pass(reader.varInt());
    }
    return value;
  }

  private readValue(reader: RecordReader): Buffer | null {
    const length = reader.varInt();
    const from = reader.pass(length);
    return length < 0 ? null : this.bytes.subarray(from, from + length);
  }

  private isAt(from: number, name: string): boolean {
    for (let i = 0; i < name.length; i++) if (this.bytes[from + i] !== name.charCodeAt(i)) return false;
    return true;
  }
}

function sum(a: number | bigint, b: number | bigint): string {
  return String(typeof a === 'number' && typeof b === 'number' ? a + b : BigInt(a) + BigInt(b));
}

/** Passes the headers. Because they are checked to their end here, reading them later cannot fail. */
function passHeaders(reader: RecordReader): void {
  const count = reader.varInt();
  if (count < -1) throw new RangeError('a record has a negative number of headers');
  for (let remaining = count; remaining > 0; remaining--) {
    const nameLength = reader.varInt();
    if (nameLength < 0) throw new RangeError('a header has no name');
    reader.pass(nameLength);
    reader.pass(reader.varInt());
  }
}

function joinValues(earlier: HeaderValue | undefined, value: Buffer | null): HeaderValue {
  if (earlier === undefined) return value;
  if (!Array.isArray(earlier)) return [earlier, value] as Buffer[];
  (earlier as (Buffer | null)[]).push(value);
  return earlier;
}
