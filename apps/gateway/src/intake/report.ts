import { type Problem } from '../errors/api-error.js';

const most = 1_000;
const longestField = 1_024;
/** Characters of all entries of an answer together; a thousand usual ones have 60,000. */
const mostText = 100_000;

/** What there is to say of a message: why it is refused, and what is left out of it when it is not. */
export class Report {
  /** Any of them refuses the message. */
  readonly problems: Problem[] = [];
  /** Values and fields that are not stored. */
  readonly dropped: Problem[] = [];

  /** Whether the message is taken, whole. */
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

/** As many entries as an answer should have, and how many more there are: a small body must not make a huge answer. */
export function bounded(entries: readonly Problem[]): Problem[] {
  const shown: Problem[] = [];
  let text = 0;
  for (const { field, message } of entries) {
    const entry = { field: shortened(field), message };
    text += entry.field.length + message.length;
    if (shown.length >= most || text > mostText) break;
    shown.push(entry);
  }
  const more = entries.length - shown.length;
  return more === 0 ? shown : [...shown, { field: '', message: `and ${more} more` }];
}

/** How many entries there are, by their message. */
export function countsByMessage(entries: readonly Problem[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { message } of entries) counts.set(message, (counts.get(message) ?? 0) + 1);
  return counts;
}

/** A long name stands in the path of all that is below it. */
const shortened = (field: string): string =>
  field.length <= longestField ? field : `${field.slice(0, longestField - 1).toWellFormed()}…`;

/** `list[3].properties` and `some key` are `list[3].properties.some key`. */
export const join = (path: string, name: string): string => (path === '' ? name : `${path}.${name}`);
