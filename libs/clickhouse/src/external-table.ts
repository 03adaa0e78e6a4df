import { Readable } from 'node:stream';

/** No line of a row begins with it: rows have no line breaks but the one that ends them. */
const boundary = 'sluice-external-table';
const endOfLine = '\r\n';

export interface ExternalTable {
  readonly name: string;
  readonly structure: string;
  readonly format: 'JSONEachRow' | 'TabSeparated';
}

/**
 * The request of a query that brings rows as a table of its own ("external data" of ClickHouse), a form of several
 * parts. The pieces are the rows in the format, without a line break within a row.
 */
export function withExternalTable({ name, structure, format }: ExternalTable, pieces: Iterable<Buffer>) {
  const start = [...partOf(`${name}_structure`, structure), ...partOf(`${name}_format`, format), ...fileOf(name)];
  function* body(): Generator<Buffer> {
    yield Buffer.from(start.join(endOfLine));
    yield* pieces;
    yield Buffer.from(`${endOfLine}--${boundary}--${endOfLine}`);
  }
  return {
    values: Readable.from(body(), { objectMode: false }),
    http_headers: { 'Content-Type': `multipart/form-data; boundary=${boundary}` },
  };
}

const partOf = (name: string, text: string): string[] => [...beginningOf(name), '', text];

/** Ends with the line break behind which the rows begin. */
const fileOf = (name: string): string[] => [...beginningOf(name, '; filename="rows"'), '', ''];

const beginningOf = (name: string, more = ''): string[] => [
  `--${boundary}`,
  `Content-Disposition: form-data; name="${name}"${more}`,
];
