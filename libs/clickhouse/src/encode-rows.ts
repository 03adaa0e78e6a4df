/** A finished row and where it lies in Kafka. */
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
 * JSONEachRow of a block, in pieces: each value with its place in Kafka spliced in after its first brace. The values
 * are copied, never parsed.
 */
export function* encodeRows({ partition, rows }: RowBlock): Generator<Buffer> {
  for (let from = 0; from < rows.length; from += rowsPerChunk) yield encode(partition, rows, from);
}

function encode(partition: number, rows: readonly Row[], from: number): Buffer {
  const place = `{"kafka_partition":${partition},"kafka_offset":`;
  const chunk = rows.slice(from, from + rowsPerChunk);
  const prefixes = chunk.map(({ offset, timestamp }) => `${place}${offset},"kafka_timestamp":${timestamp}`);
  // One more for the newline; the bytes of a prefix are all ASCII.
  const values = chunk.map(({ value }) => value);
  const length = values.reduce((sum, value, i) => sum + (prefixes[i]?.length ?? 0) + value.length + 1, 0);
  const bytes = Buffer.allocUnsafe(length);
  let end = 0;
  for (const [i, value] of values.entries()) {
    end += bytes.write(prefixes[i] ?? '', end, 'latin1');
    // Whole, and its brace becomes a comma: a part of it would be copied by way of one more view.
    bytes.set(value, end);
    bytes[end] = comma;
    end += value.length;
    bytes[end++] = newline;
  }
  return bytes;
}
