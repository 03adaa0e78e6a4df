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
export function formatSourceFile(records: readonly RegistryRecord[]): string {
  const head: Head = { format: 'sluice-sources', records: records.length };
  return [head, ...records].map((value) => JSON.stringify(value)).join('\n');
}

/** Reads an export: NDJSON with its head, or the JSON array of --json. `-` is standard input. @throws OperationError. */
export async function readSourceFile(file: string): Promise<RegistryRecord[]> {
  const content = (await readContent(file)).trim();
  return content.startsWith('[') ? parseArray(file, content) : parseLines(file, content);
}

async function readContent(file: string): Promise<string> {
  try {
    return file === '-' ? await text(process.stdin) : await readFile(file, 'utf8');
  } catch (error) {
    throw new OperationError(`${file} cannot be read: ${(error as NodeJS.ErrnoException).code ?? 'unknown'}`);
  }
}

function parseArray(file: string, content: string): RegistryRecord[] {
  const values = requireJson(content, `${file} is not JSON`) as unknown[];
  return values.map((value, index) => requireRecord(value, `${file}: entry ${index + 1}`));
}

function parseLines(file: string, content: string): RegistryRecord[] {
  const [first = '', ...lines] = content.split(/\r?\n/);
  const notAnExport = `${file} does not begin like an export of sources`;
  const head = requireJson(first, notAnExport) as Partial<Head> | null;
  if (head?.format !== 'sluice-sources') throw new OperationError(notAnExport);
  const records = lines.map((line, index) => {
    const place = `${file}: line ${index + 2}`;
    return requireRecord(requireJson(line, `${place} is not JSON`), place);
  });
  if (records.length === head.records) return records;
  throw new OperationError(
    `${file} is cut off or has been changed: it has ${records.length} of ${head.records} records`,
  );
}

function requireJson(json: string, problem: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    throw new OperationError(problem);
  }
}

function requireRecord(value: unknown, place: string): RegistryRecord {
  try {
    return checkRecord(value);
  } catch (error) {
    throw new OperationError(`${place} is ${(error as Error).message}`);
  }
}
