import { bytesLength, RecordReader, writeBytes } from '@sluice/kafkajs';

/** Key, value and headers of a message; the headers as they stand in a record. */
export interface MessageBody {
  readonly key: Buffer | null;
  readonly value: Buffer | null;
  readonly encodedHeaders: Buffer;
}

/** Concatenates key, value and headers as in a Kafka record. The parts of a letter are cut from these bytes. */
export function encodeBody({ key, value, encodedHeaders }: MessageBody): Buffer {
  const bytes = Buffer.allocUnsafe(bytesLength(key) + bytesLength(value) + encodedHeaders.length);
  const end = writeBytes(bytes, writeBytes(bytes, 0, key), value);
  encodedHeaders.copy(bytes, end);
  return bytes;
}

/** Decodes what `encodeBody` returned. @throws RangeError when it is damaged. */
export function decodeBody(bytes: Buffer): MessageBody {
  const reader = new RecordReader(bytes);
  const take = (): Buffer | null => {
    const length = reader.varInt();
    const from = reader.pass(length);
    return length < 0 ? null : bytes.subarray(from, from + length);
  };
  const [key, value] = [take(), take()];
  return { key, value, encodedHeaders: bytes.subarray(reader.position) };
}
