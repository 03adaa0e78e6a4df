import { Readable } from 'node:stream';

/** Separates the parts of the request. Rows begin with a brace and have one line, so none can contain it. */
const boundary = 'sluice-external-table';
const endOfLine = '\r\n';

export interface ExternalTable {
  readonly name: string;
  readonly structure: string;
  readonly format: 'JSONEachRow' | 'TabSeparated';
}

/**
 * A multipart request whose query can read the given rows as a table ("external data" of ClickHouse).
 * @param pieces the encoded rows; no row contains a line break
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

/** The header of the part with the rows, up to the line break before the first row. */
const fileOf = (name: string): string[] => [...beginningOf(name, '; filename="rows"'), '', ''];

const beginningOf = (name: string, more = ''): string[] => [
  `--${boundary}`,
  `Content-Disposition: form-data; name="${name}"${more}`,
];
