import { Readable } from 'node:stream';

/** Separates the parts of the request. No row can be taken for a boundary: a row is one line and begins with no hyphen. */
const boundary = 'sluice-external-table';
const endOfLine = '\r\n';

export interface ExternalTable {
  readonly name: string;
  readonly structure: string;
  readonly format: 'JSONEachRow' | 'TabSeparated';
  /** The encoded rows; no row contains a line break. */
  readonly pieces: Iterable<Buffer>;
}

/** A multipart request whose query can read the given rows as tables ("external data" of ClickHouse). */
export function withExternalTables(...tables: readonly ExternalTable[]) {
  function* body(): Generator<Buffer> {
    for (const { name, structure, format, pieces } of tables) {
      const start = [
        ...makePart(`${name}_structure`, structure),
        ...makePart(`${name}_format`, format),
        ...makeFilePart(name),
      ];
      yield Buffer.from(start.join(endOfLine));
      yield* pieces;
      yield Buffer.from(endOfLine);
    }
    yield Buffer.from(`--${boundary}--${endOfLine}`);
  }
  return {
    values: Readable.from(body(), { objectMode: false }),
    http_headers: { 'Content-Type': `multipart/form-data; boundary=${boundary}` },
  };
}

const makePart = (name: string, text: string): string[] => [...makePartHeader(name), '', text];

/** The header of the part with the rows, up to the line break before the first row. */
const makeFilePart = (name: string): string[] => [...makePartHeader(name, '; filename="rows"'), '', ''];

const makePartHeader = (name: string, attributes = ''): string[] => [
  `--${boundary}`,
  `Content-Disposition: form-data; name="${name}"${attributes}`,
];
