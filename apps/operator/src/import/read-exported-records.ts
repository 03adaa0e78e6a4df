import { isObject } from '@sluice/contracts';
import { nameUuid, parseForeignRecord } from '@sluice/messages';
import { OperationError } from '@sluice/operations';
import { type FileRecord, type RecordProblem } from '../files/import-report.js';
import { openInflated } from '../files/inflated.js';
import { splitLines, decodeUtf8 } from '../files/utf8.js';
import { type ImportedItem, type ToItems } from './formats/format.js';

/** A line of an export, and the items that it stands for. */
export interface ExportedRecord extends FileRecord {
  items: ImportedItem[];
  /** Problems for which the line is refused without being sent. */
  problems: RecordProblem[];
}

/**
 * Reads an export: lines of JSON, gzipped or not.
 * @throws OperationError when the file cannot be read, is not UTF-8, or is one JSON array.
 */
export async function* readExportedRecords(file: string, toItems: ToItems): AsyncGenerator<ExportedRecord> {
  try {
    let line = 0;
    for await (const json of splitLines(decodeUtf8(await openInflated(file), file))) {
      line += 1;
      if (line === 1 && json.startsWith('['))
        throw new OperationError(`${file} is a JSON array: write one record a line, such as with jq -c '.[]'`);
      if (json.trim() !== '') yield { line, json, ...convertLine(json, toItems) };
    }
  } catch (error) {
    if (error instanceof OperationError) throw error;
    throw new OperationError(`${file} cannot be read: ${(error as Error).message}`, { cause: error });
  }
}

function convertLine(json: string, toItems: ToItems): Pick<ExportedRecord, 'items' | 'problems'> {
  let record: unknown;
  try {
    record = parseForeignRecord(json);
  } catch {
    return { items: [], problems: [{ field: '', message: 'is not JSON' }] };
  }
  if (!isObject(record)) return { items: [], problems: [{ field: '', message: 'must be an object' }] };
  // A record without an id of its own gets one from its text, so that a second import of the file makes copies of the
  // same messages.
  const items = toItems(record).map((item, index) => ({ messageId: nameUuid(JSON.stringify([json, index])), ...item }));
  return { items, problems: [] };
}
