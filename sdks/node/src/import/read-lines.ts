import { createReadStream } from 'node:fs';

/** Longer lines are refused without being kept in memory. */
export const maxLineLength = 1_048_576;

export interface ImportLine {
  /** Number in the file, from 1. */
  readonly number: number;
  /** Position of the byte after the line and its line break. */
  readonly end: number;
  /** Undefined for a line that is too long. */
  readonly bytes: Buffer | undefined;
}

/** The lines of a file from a position on, which is the beginning of line `first`. */
export async function* readLines(file: string, position: number, first: number): AsyncGenerator<ImportLine> {
  let number = first;
  let end = position;
  let parts: Buffer[] = [];
  let length = 0;
  const take = (part: Buffer): void => {
    length += part.length;
    if (length <= maxLineLength) parts.push(part);
    else parts = [];
  };
  const line = (): ImportLine => {
    const bytes = length > maxLineLength ? undefined : Buffer.concat(parts);
    [parts, length] = [[], 0];
    return { number: number++, end, bytes };
  };
  for await (const chunk of createReadStream(file, {
    start: position,
    highWaterMark: 1_048_576,
  }) as AsyncIterable<Buffer>) {
    let start = 0;
    for (let next = chunk.indexOf(10); next >= 0; next = chunk.indexOf(10, start)) {
      take(chunk.subarray(start, next));
      end += next + 1 - start;
      start = next + 1;
      yield line();
    }
    take(chunk.subarray(start));
    end += chunk.length - start;
  }
  if (length > 0) yield line();
}
