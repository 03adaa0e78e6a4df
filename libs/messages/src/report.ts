import { type Problem } from './problem.js';

const maxEntries = 1_000;
const maxFieldLength = 1_024;
/** Upper bound of the characters of all entries of an answer; a thousand usual entries have 60,000. */
const maxTextLength = 100_000;

/** Problems for which a message is refused, and values that are dropped from a message that is taken. */
export class Report {
  /** Problems; one is enough to refuse the message. */
  readonly problems: Problem[] = [];
  /** Values and fields that are not stored. */
  readonly dropped: Problem[] = [];

  /** Whether the message is taken and nothing is dropped. */
  get isEmpty(): boolean {
    return this.problems.length === 0 && this.dropped.length === 0;
  }

  refuse(field: string, message: string): void {
    this.problems.push({ field, message });
  }

  drop(field: string, message: string): void {
    this.dropped.push({ field, message });
  }
}

/** Bounds the entries of an answer and adds the number of the rest: a small body must not make a huge answer. */
export function bounded(entries: readonly Problem[]): Problem[] {
  const shown: Problem[] = [];
  let text = 0;
  for (const { field, message } of entries) {
    const entry = { field: shortened(field), message };
    text += entry.field.length + message.length;
    if (shown.length >= maxEntries || text > maxTextLength) break;
    shown.push(entry);
  }
  const more = entries.length - shown.length;
  return more === 0 ? shown : [...shown, { field: '', message: `and ${more} more` }];
}

/** Number of entries by their message. */
export function countsByMessage(entries: readonly Problem[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { message } of entries) counts.set(message, (counts.get(message) ?? 0) + 1);
  return counts;
}

/** Shortens a path: a long name repeats in the path of every entry below it. */
const shortened = (field: string): string =>
  field.length <= maxFieldLength ? field : `${field.slice(0, maxFieldLength - 1).toWellFormed()}…`;

/** Joins `list[3].properties` and `some key` to `list[3].properties.some key`. */
export const join = (path: string, name: string): string => (path === '' ? name : `${path}.${name}`);
