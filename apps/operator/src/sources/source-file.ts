import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { OperationError } from '@sluice/operations';
import { checkRecord, type RegistryRecord } from '@sluice/sources';

/** First line of an export; the number of records shows whether the file is whole. */
interface Head {
  readonly format: 'sluice-sources';
  readonly records: number;
}

/** NDJSON of records: a head, then one record a line. It has hashes of keys, no keys. */
export function linesOf(records: readonly RegistryRecord[]): string {
  const head: Head = { format: 'sluice-sources', records: records.length };
  return [head, ...records].map((value) => JSON.stringify(value)).join('\n');
}

/** Reads an export: NDJSON with its head, or the JSON array of --json. `-` is standard input. @throws OperationError. */
export async function readSourceFile(file: string): Promise<RegistryRecord[]> {
  const content = (await contentOf(file)).trim();
  return content.startsWith('[') ? recordsOfArray(file, content) : recordsOfLines(file, content);
}

async function contentOf(file: string): Promise<string> {
  try {
    return file === '-' ? await text(process.stdin) : await readFile(file, 'utf8');
  } catch (error) {
    throw new OperationError(`${file} cannot be read: ${(error as NodeJS.ErrnoException).code ?? 'unknown'}`);
  }
}

function recordsOfArray(file: string, content: string): RegistryRecord[] {
  const values = parse(content, `${file} is not JSON`) as unknown[];
  return values.map((value, index) => checked(value, `${file}: entry ${index + 1}`));
}

function recordsOfLines(file: string, content: string): RegistryRecord[] {
  const [first = '', ...lines] = content.split(/\r?\n/);
  const notAnExport = `${file} does not begin like an export of sources`;
  const head = parse(first, notAnExport) as Partial<Head> | null;
  if (head?.format !== 'sluice-sources') throw new OperationError(notAnExport);
  const records = lines.map((line, index) => {
    const where = `${file}: line ${index + 2}`;
    return checked(parse(line, `${where} is not JSON`), where);
  });
  if (records.length === head.records) return records;
  throw new OperationError(
    `${file} is cut off or has been changed: it has ${records.length} of ${head.records} records`,
  );
}

function parse(json: string, failed: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    throw new OperationError(failed);
  }
}

function checked(value: unknown, where: string): RegistryRecord {
  try {
    return checkRecord(value);
  } catch (error) {
    throw new OperationError(`${where} is ${(error as Error).message}`);
  }
}
