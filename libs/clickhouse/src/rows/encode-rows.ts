import { maxTimeLength, TimeTexts } from './time-texts.js';

/** A finished row and its place in Kafka. */
export interface Row {
  /** A JSON object of at least one member, as bytes. */
  readonly value: Buffer;
  readonly offset: string;
  /** Milliseconds since 1970. */
  readonly timestamp: string;
}

/** Finished rows of one partition. */
export interface RowBlock<R extends Row = Row> {
  /** Deduplication token. */
  readonly id: string;
  readonly partition: number;
  readonly rows: readonly R[];
}

const newline = '\n'.charCodeAt(0);
const comma = ','.charCodeAt(0);
const rowsPerChunk = 1_000;

/**
 * Encodes a block as JSONEachRow, in chunks. The place in Kafka is spliced in after the first brace of each value. The
 * values are copied, never parsed.
 */
export function* encodeRows({ partition, rows }: RowBlock): Generator<Buffer> {
  const times = new TimeTexts();
  for (let from = 0; from < rows.length; from += rowsPerChunk) {
    yield encode(partition, rows.slice(from, from + rowsPerChunk), times);
  }
}

function encode(partition: number, rows: readonly Row[], times: TimeTexts): Buffer {
  const place = `{"kafka_partition":${partition},"kafka_offset":`;
  // One byte more for the newline. A prefix is ASCII, so its length is its number of bytes.
  const maxLength = rows.reduce(
    (sum, { offset, value }) => sum + place.length + offset.length + maxTimeLength + value.length + 1,
    0,
  );
  const bytes = Buffer.allocUnsafe(maxLength);
  let end = 0;
  for (const { offset, timestamp, value } of rows) {
    end += bytes.write(place + offset + times.member(timestamp), end, 'latin1');
    // The whole value is copied and its brace overwritten by a comma: copying a part would allocate a view.
    bytes.set(value, end);
    bytes[end] = comma;
    end += value.length;
    bytes[end++] = newline;
  }
  return bytes.subarray(0, end);
}
