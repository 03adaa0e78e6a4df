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
  for (let from = 0; from < rows.length; from += rowsPerChunk) yield encode(partition, rows, from);
}

function encode(partition: number, rows: readonly Row[], from: number): Buffer {
  const place = `{"kafka_partition":${partition},"kafka_offset":`;
  const chunk = rows.slice(from, from + rowsPerChunk);
  const prefixes = chunk.map(({ offset, timestamp }) => `${place}${offset},"kafka_timestamp":${timestamp}`);
  // One byte more for the newline. A prefix is ASCII, so its length is its number of bytes.
  const values = chunk.map(({ value }) => value);
  const length = values.reduce((sum, value, i) => sum + (prefixes[i]?.length ?? 0) + value.length + 1, 0);
  const bytes = Buffer.allocUnsafe(length);
  let end = 0;
  for (const [i, value] of values.entries()) {
    end += bytes.write(prefixes[i] ?? '', end, 'latin1');
    // The whole value is copied and its brace overwritten by a comma: copying a part would allocate a view.
    bytes.set(value, end);
    bytes[end] = comma;
    end += value.length;
    bytes[end++] = newline;
  }
  return bytes;
}
