import { stat } from 'node:fs/promises';
import { OperationError } from '@sluice/operations';
import { readStart } from '../files/inflated.js';

/** Whether the name says CSV, compressed or not. */
export const isCsv = (file: string): boolean => /\.csv(\.gz)?$/i.test(file);

/** The first bytes of files that are not feeds, and what to do with each. */
const foreignStarts: readonly (readonly [start: string, advice: string])[] = [
  ...['\x28\xb5\x2f\xfd', 'BZh', '\xfd7zXZ'].map(
    (start) => [start, 'is compressed, and only gzip is read: decompress it'] as const,
  ),
  ['PK\x03\x04', 'is a zip archive or an Excel workbook: unpack it, or save the sheet as CSV (UTF-8)'],
  ...['\xff\xfe', '\xfe\xff'].map((start) => [start, 'is UTF-16: convert it to UTF-8'] as const),
];
const foreignLines: typeof foreignStarts = [
  ['[', "is a JSON array: write one object per line, such as with jq -c '.[]'"],
  ['<', 'is XML or HTML: write one JSON object per line, or CSV'],
];

/**
 * Refuses a file that cannot be a feed. Otherwise each line of a JSON array would be sent alone, to be refused.
 * @throws OperationError; the error of the file system when the file cannot be read
 */
export async function assertFeed(file: string): Promise<void> {
  if ((await stat(file)).isDirectory()) throw new OperationError(`${file} is a folder: name a file in it`);
  const start = Buffer.from(await readStart(file)).toString('latin1', 0, 64);
  const text = start.replace(/^\xef\xbb\xbf/, '').trimStart();
  const starts = isCsv(file) ? foreignStarts : [...foreignStarts, ...foreignLines];
  const advice = starts.find(([foreignStart]) => start.startsWith(foreignStart) || text.startsWith(foreignStart))?.[1];
  if (advice !== undefined) throw new OperationError(`${file} ${advice}, and import it again`);
}
