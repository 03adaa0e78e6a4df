// D-Bus messages as far as a notification server needs them: https://dbus.freedesktop.org/doc/dbus-specification.html

export const messageTypes = { call: 1, answer: 2, error: 3, signal: 4 } as const;

/** Numbers of the header fields, with the type of each value. */
const fields = { path: [1, 'o'], interface: [2, 's'], member: [3, 's'], replySerial: [5, 'u'] } as const;
const [destinationField, senderField, signatureField] = [6, 7, 8];

export interface BusMessage {
  readonly type: number;
  readonly serial: number;
  readonly member: string | undefined;
  readonly sender: string | undefined;
  readonly body: Reader;
}

/** Reads little-endian values in sequence. */
export class Reader {
  constructor(
    private readonly bytes: Buffer,
    private offset = 0,
  ) {}

  byte(): number {
    return this.bytes.readUInt8(this.offset++);
  }

  number(): number {
    this.align(4);
    this.offset += 4;
    return this.bytes.readUInt32LE(this.offset - 4);
  }

  text(length = this.number()): string {
    const text = this.bytes.toString('utf8', this.offset, this.offset + length);
    this.offset += length + 1;
    return text;
  }

  texts(): string[] {
    const length = this.number();
    const end = this.offset + length;
    const list: string[] = [];
    while (this.offset < end) list.push(this.text());
    return list;
  }

  /** The value of a header field. */
  variant(): string | number {
    const type = this.text(this.byte());
    return type === 'u' ? this.number() : this.text(type === 'g' ? this.byte() : this.number());
  }

  align(size: number): void {
    this.offset = Math.ceil(this.offset / size) * size;
  }

  get position(): number {
    return this.offset;
  }
}

class Writer {
  private readonly parts: Buffer[] = [];
  length = 0;

  bytes(value: Buffer): this {
    this.parts.push(value);
    this.length += value.length;
    return this;
  }

  align(size: number): this {
    return this.bytes(Buffer.alloc((size - (this.length % size)) % size));
  }

  number(value: number): this {
    const buffer = Buffer.alloc(4);
    buffer.writeUInt32LE(value);
    return this.align(4).bytes(buffer);
  }

  text(value: string): this {
    return this.number(Buffer.byteLength(value)).bytes(Buffer.from(`${value}\0`));
  }

  signature(value: string): this {
    return this.bytes(Buffer.from([value.length])).bytes(Buffer.from(`${value}\0`));
  }

  toBuffer(): Buffer {
    return Buffer.concat(this.parts);
  }
}

/** `s`: a text, `u`: a number, `as`: a list of texts. */
export type BusValue = string | number | readonly string[];

const busSignature = (value: BusValue): string =>
  typeof value === 'string' ? 's' : typeof value === 'number' ? 'u' : 'as';

function encodeBody(values: readonly BusValue[]): Buffer {
  const body = new Writer();
  for (const value of values) {
    if (typeof value === 'string') body.text(value);
    else if (typeof value === 'number') body.number(value);
    else {
      // Texts are aligned to 4 bytes, as the length before them is, so a list can be written separately.
      const list = new Writer();
      for (const text of value) list.text(text);
      body.number(list.length).bytes(list.toBuffer());
    }
  }
  return body.toBuffer();
}

export interface NewMessage extends Partial<Record<keyof typeof fields, string | number>> {
  readonly type: number;
  readonly destination?: string | undefined;
  readonly values?: readonly BusValue[];
}

export function encodeMessage(serial: number, message: NewMessage): Buffer {
  const { type, destination, values = [] } = message;
  const body = encodeBody(values);
  const list = new Writer();
  const field = (code: number, kind: string, value: string | number): void => {
    list
      .align(8)
      .bytes(Buffer.from([code]))
      .signature(kind);
    if (kind === 'g') list.signature(String(value));
    else if (typeof value === 'number') list.number(value);
    else list.text(value);
  };
  for (const [name, [code, kind]] of Object.entries(fields)) {
    const value = message[name as keyof typeof fields];
    if (value !== undefined) field(code, kind, value);
  }
  if (destination !== undefined) field(destinationField, 's', destination);
  if (values.length > 0) field(signatureField, 'g', values.map(busSignature).join(''));
  return new Writer()
    .bytes(Buffer.from(['l'.charCodeAt(0), type, 0, 1]))
    .number(body.length)
    .number(serial)
    .number(list.length)
    .bytes(list.toBuffer())
    .align(8)
    .bytes(body)
    .toBuffer();
}

/** The first message in these bytes, and its length; undefined while it is incomplete. */
export function readBusMessage(bytes: Buffer): { message: BusMessage; length: number } | undefined {
  if (bytes.length < 16) return undefined;
  const [bodyLength, fieldsLength] = [bytes.readUInt32LE(4), bytes.readUInt32LE(12)];
  const bodyAt = Math.ceil((16 + fieldsLength) / 8) * 8;
  if (bytes.length < bodyAt + bodyLength) return undefined;
  const reader = new Reader(bytes, 16);
  const fieldValues = new Map<number, string | number>();
  while (reader.position < 16 + fieldsLength) {
    reader.align(8);
    fieldValues.set(reader.byte(), reader.variant());
  }
  const readText = (code: number): string | undefined =>
    fieldValues.has(code) ? String(fieldValues.get(code)) : undefined;
  const message = {
    type: bytes.readUInt8(1),
    serial: bytes.readUInt32LE(8),
    member: readText(fields.member[0]),
    sender: readText(senderField),
    body: new Reader(bytes.subarray(bodyAt, bodyAt + bodyLength)),
  };
  return { message, length: bodyAt + bodyLength };
}
