import { createHash } from 'node:crypto';
import { batchBody } from '@sluice/sdk-core';
import { type ImportItem, parseLine, type MessageKind } from './message.js';
import { readLines } from './read-lines.js';

const maxLines = 100;
const maxBytes = 393_216;

/** Consecutive lines. Segments depend on the file alone, so that a repeated import makes the same ones. */
export interface Segment {
  /** Position of the first byte, and of the first after the segment. */
  readonly from: number;
  readonly end: number;
  /** Number of the line after the segment. */
  readonly next: number;
  readonly items: readonly ImportItem[];
}

export async function* readSegments(file: string, position: number, line: number): AsyncGenerator<Segment> {
  let begin = position;
  let items: ImportItem[] = [];
  let count = 0;
  let last = { end: position, next: line };
  const endSegment = (): Segment => {
    const segment = { from: begin, ...last, items };
    [begin, items, count] = [last.end, [], 0];
    return segment;
  };
  for await (const importLine of readLines(file, position, line)) {
    // A line that does not fit begins the next segment.
    if (count > 0 && importLine.end - begin > maxBytes) yield endSegment();
    last = { end: importLine.end, next: importLine.number + 1 };
    const item = parseLine(importLine);
    if (item) items.push(item);
    if (++count === maxLines) yield endSegment();
  }
  if (count > 0) yield endSegment();
}

/** The messages of one kind in a segment: one request. */
export interface ImportBatch {
  readonly kind: MessageKind;
  readonly key: string;
  readonly body: string;
  readonly lines: readonly { readonly line: number; readonly text: string }[];
}

/**
 * Requests of a segment. Their keys follow from position and first message, so that sending them again stores nothing.
 * The other messages are not part of the key, because a file that grows adds to its last segment; the service compares
 * each of them by its place and text.
 */
export function buildBatches({ from, items }: Segment): ImportBatch[] {
  return (['identify', 'track'] as const).flatMap((kind) => {
    const lines = items.flatMap((item) => ('kind' in item && item.kind === kind ? [item] : []));
    const [first] = lines;
    if (!first) return [];
    const digest = createHash('sha256').update(`${from} ${kind} ${first.text}`).digest('hex');
    return [{ kind, key: `import-${digest}`, body: batchBody(lines.map(({ text }) => text)), lines }];
  });
}
