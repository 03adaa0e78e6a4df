import { createReadStream } from 'node:fs';
import { extname } from 'node:path';
import { pipeline, Readable } from 'node:stream';
import { type InfoRecord, parse } from 'csv-parse';
import { fieldTypesOf } from '@sluice/contracts';
import { OperationError } from '@sluice/operations';
import { type FileRecord, type Problem } from '../files/import-report.js';
import { linesOf, utf8Of } from '../files/utf8.js';
import { jsonOfRow } from './csv-values.js';
import { entities, type EntityType } from './entity-type.js';

/** One record of a file: an entity. */
export interface CatalogRecord extends FileRecord {
  /** Id of the entity; undefined if it cannot be read, in which case the gateway refuses the record. */
  id: string | undefined;
  /** Problems for which the record is refused without being sent. */
  problems?: Problem[];
}

/**
 * Reads the records of a file: `.csv`, or lines of JSON.
 * @throws OperationError when the file cannot be read, is not UTF-8, or is not a CSV of this type.
 */
export async function* readRecords(file: string, type: EntityType): AsyncGenerator<CatalogRecord> {
  const records = extname(file).toLowerCase() === '.csv' ? readCsv(file, type) : readLines(file, type);
  try {
    yield* records;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (error instanceof OperationError || code === undefined) throw error;
    throw new OperationError(`${file} cannot be read: ${message}`, { cause: error });
  }
}

async function* readLines(file: string, type: EntityType): AsyncGenerator<CatalogRecord> {
  let line = 0;
  for await (const json of linesOf(utf8Of(createReadStream(file), file))) {
    line += 1;
    if (json.trim() !== '') yield { line, json, id: idOf(json, type) };
  }
}

async function* readCsv(file: string, type: EntityType): AsyncGenerator<CatalogRecord> {
  const types = fieldTypesOf(entities[type].message);
  // The parser's option `columns` is not used, because it silently accepts rows that are too short or too long.
  const parser = parse({ info: true, skip_empty_lines: true, relax_column_count: true });
  // A failure of the pipeline destroys the parser, and reading from it below throws.
  pipeline(Readable.from(utf8Of(createReadStream(file), file)), parser, () => undefined);
  let names: string[] | undefined;
  for await (const { record, info } of parser as AsyncIterable<{ record: string[]; info: InfoRecord }>) {
    if (!names) {
      names = checked(record, types, type);
    } else if (record.length === names.length) {
      const json = jsonOfRow(Object.fromEntries(names.map((name, i) => [name, record[i] ?? ''])), types);
      yield { line: info.lines, json, id: idOf(json, type) };
    } else {
      const message = `the line has ${record.length} cells, the first row names ${names.length}`;
      yield { line: info.lines, json: JSON.stringify(record), id: undefined, problems: [{ field: '', message }] };
    }
  }
}

/** Checks column names before the first record is sent: a misspelt column would be left out of every row. */
function checked(names: string[], types: ReadonlyMap<string, unknown>, type: EntityType): string[] {
  const twice = new Set(names.filter((name, i) => names.indexOf(name) !== i));
  if (twice.size > 0) throw new OperationError(`columns that are named more than once: ${[...twice].join(', ')}`);
  const unknown = names.filter((name) => !types.has(name));
  if (unknown.length === 0) return names;
  throw new OperationError(
    `columns that a ${type} does not have: ${unknown.join(', ')}; it has ${[...types.keys()].join(', ')}`,
  );
}

function idOf(json: string, type: EntityType): string | undefined {
  try {
    const id = (JSON.parse(json) as Record<string, unknown> | null)?.[entities[type].idField];
    return typeof id === 'string' ? id : undefined;
  } catch {
    return undefined;
  }
}
