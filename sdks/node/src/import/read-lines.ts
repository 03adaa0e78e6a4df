import { createReadStream } from 'node:fs';

/** Longer lines are refused without being kept in memory. */
export const maxLineLength = 1_048_576;

export interface Line {
  /** Number in the file, from 1. */
  readonly number: number;
  /** Position of the byte after the line and its line break. */
  readonly end: number;
  /** Undefined for a line that is too long. */
  readonly bytes: Buffer | undefined;
}

/** The lines of a file from a position on, which is the beginning of line `first`. */
export async function* readLines(file: string, from: number, first: number): AsyncGenerator<Line> {
  let number = first;
  let end = from;
  let parts: Buffer[] = [];
  let length = 0;
  const take = (part: Buffer): void => {
    length += part.length;
    if (length <= maxLineLength) parts.push(part);
    else parts = [];
  };
  const line = (): Line => {
    const bytes = length > maxLineLength ? undefined : Buffer.concat(parts);
    [parts, length] = [[], 0];
    return { number: number++, end, bytes };
  };
  for await (const chunk of createReadStream(file, {
    start: from,
    highWaterMark: 1_048_576,
  }) as AsyncIterable<Buffer>) {
    let at = 0;
    for (let next = chunk.indexOf(10); next >= 0; next = chunk.indexOf(10, at)) {
      take(chunk.subarray(at, next));
      end += next + 1 - at;
      at = next + 1;
      yield line();
    }
    take(chunk.subarray(at));
    end += chunk.length - at;
  }
  if (length > 0) yield line();
}
