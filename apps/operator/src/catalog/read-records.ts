import { pipeline, Readable } from 'node:stream';
import { type InfoRecord, parse } from 'csv-parse';
import { readFieldTypes } from '@sluice/contracts';
import { OperationError } from '@sluice/operations';
import { type FileRecord, type RecordProblem } from '../files/import-report.js';
import { openInflated, readStart } from '../files/inflated.js';
import { splitLines, decodeUtf8 } from '../files/utf8.js';
import { convertRow } from './csv-values.js';
import { entities, type EntityType } from './entity-type.js';
import { assertFeed, isCsv } from './file-form.js';

/** One record of a file: an entity. */
export interface CatalogRecord extends FileRecord {
  /** Id of the entity; undefined if it cannot be read, in which case the gateway refuses the record. */
  id: string | undefined;
  /** Whether the record is not JSON: it is sent alone, because it would break those next to it in a batch. */
  isNotJson?: boolean;
  /** Problems for which the record is refused without being sent. */
  problems?: RecordProblem[];
}

/**
 * Reads the records of a file, gzipped or not: `.csv`, or lines of JSON.
 * @throws OperationError when the file cannot be read, is not a feed or not UTF-8, or is not a CSV of this type.
 */
export async function* readRecords(file: string, type: EntityType): AsyncGenerator<CatalogRecord> {
  try {
    await assertFeed(file);
    yield* isCsv(file) ? readCsv(file, type) : readLines(file, type);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (error instanceof OperationError || code === undefined) throw error;
    throw new OperationError(`${file} cannot be read: ${message}`, { cause: error });
  }
}

async function* readLines(file: string, type: EntityType): AsyncGenerator<CatalogRecord> {
  let line = 0;
  for await (const json of splitLines(decodeUtf8(await openInflated(file), file))) {
    line += 1;
    if (json.trim() !== '') yield { line, json, ...readIdentity(json, type) };
  }
}

async function* readCsv(file: string, type: EntityType): AsyncGenerator<CatalogRecord> {
  const types = readFieldTypes(entities[type].message);
  // The parser's option `columns` is not used, because it silently accepts rows that are too short or too long.
  const delimiter = await readDelimiter(file);
  const parser = parse({ delimiter, info: true, skip_empty_lines: true, relax_column_count: true });
  // A failure of the pipeline destroys the parser, and reading from it below throws.
  pipeline(Readable.from(decodeUtf8(await openInflated(file), file)), parser, () => undefined);
  let names: string[] | undefined;
  // The parser counts a line that ends with CRLF within a cell twice.
  let doubledLines = 0;
  for await (const { record: cells, info } of parser as AsyncIterable<{ record: string[]; info: InfoRecord }>) {
    doubledLines += cells.reduce((sum, cell) => sum + cell.split('\r\n').length - 1, 0);
    const line = info.lines - doubledLines;
    const record = trimEmptyEnd(cells, names?.length ?? 0);
    if (!names) {
      names = checkColumns(record, types, type);
    } else if (record.length === names.length) {
      const json = convertRow(Object.fromEntries(names.map((name, i) => [name, record[i] ?? ''])), types);
      yield { line, json, ...readIdentity(json, type) };
    } else {
      const message = `the line has ${record.length} cells, the first row names ${names.length}`;
      yield { line, json: JSON.stringify(record), id: undefined, problems: [{ field: '', message }] };
    }
  }
}

/** The first row of a file is shorter than this, and than one read. */
const maxFirstRow = 16_384;

/** Finds the separator of the first row's cells: names of fields have neither a comma nor a semicolon or tab. */
async function readDelimiter(file: string): Promise<string> {
  const start = Buffer.from(await readStart(file)).toString('utf8', 0, maxFirstRow);
  const [firstRow = ''] = start.trimStart().split(/[\r\n]/, 1);
  return [',', ';', '\t'].find((separator) => firstRow.includes(separator)) ?? ',';
}

/** A row without the empty cells after its first `count`: Excel writes cells of columns that have been cleared. */
function trimEmptyEnd(cells: readonly string[], count: number): string[] {
  const end = cells.findLastIndex((cell) => cell.trim() !== '') + 1;
  return cells.slice(0, Math.max(end, Math.min(count, cells.length)));
}

/** Checks column names before the first record is sent: a misspelt column would be left out of every row. */
function checkColumns(names: string[], types: ReadonlyMap<string, unknown>, type: EntityType): string[] {
  const nameless = names.findIndex((name) => name.trim() === '');
  if (nameless >= 0) throw new OperationError(`column ${nameless + 1} has no name in the first row`);
  const repeatedNames = new Set(names.filter((name, i) => names.indexOf(name) !== i));
  if (repeatedNames.size > 0)
    throw new OperationError(`columns that are named more than once: ${[...repeatedNames].join(', ')}`);
  const unknownNames = names.filter((name) => !types.has(name));
  if (unknownNames.length === 0) return names;
  throw new OperationError(
    `columns that a ${type} does not have: ${unknownNames.join(', ')}; it has ${[...types.keys()].join(', ')}`,
  );
}

function readIdentity(json: string, type: EntityType): Pick<CatalogRecord, 'id' | 'isNotJson'> {
  try {
    const id = (JSON.parse(json) as Record<string, unknown> | null)?.[entities[type].idField];
    return { id: typeof id === 'string' ? id : undefined };
  } catch {
    return { id: undefined, isNotJson: true };
  }
}
