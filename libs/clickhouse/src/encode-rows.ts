/** Finished rows of one partition and where each lies in Kafka. */
export interface RowBlock {
  /** Deduplication token. */
  readonly id: string;
  readonly partition: number;
  /** `value` is a JSON object of at least one member, as bytes; `timestamp` is in milliseconds since 1970. */
  readonly rows: readonly { readonly value: Buffer; readonly offset: string; readonly timestamp: string }[];
}

const newline = '\n'.charCodeAt(0);

/**
 * JSONEachRow of a block: each value with its place in Kafka spliced in after its first brace. The values are copied,
 * never parsed.
 */
export function encodeRows({ partition, rows }: RowBlock): Buffer {
  const place = `{"kafka_partition":${partition},"kafka_offset":`;
  const prefixes = rows.map(({ offset, timestamp }) => `${place}${offset},"kafka_timestamp":${timestamp},`);
  // The prefix stands for the value's brace, the newline is one more: their bytes are all ASCII.
  const length = rows.reduce((sum, { value }, i) => sum + (prefixes[i]?.length ?? 0) + value.length, 0);
  const bytes = Buffer.allocUnsafe(length);
  let end = 0;
  for (const [i, { value }] of rows.entries()) {
    end += bytes.write(prefixes[i] ?? '', end, 'latin1');
    end += value.copy(bytes, end, 1);
    bytes[end++] = newline;
  }
  return bytes;
}
