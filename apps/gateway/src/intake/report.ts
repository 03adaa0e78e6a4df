import { type Problem } from '../errors/api-error.js';

const most = 1_000;
const longestField = 1_024;

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
  const first = entries.slice(0, most).map(({ field, message }) => ({ field: shortened(field), message }));
  return entries.length <= most ? first : [...first, { field: '', message: `and ${entries.length - most} more` }];
}

/** A long name stands in the path of all that is below it. */
const shortened = (field: string): string =>
  field.length <= longestField ? field : `${field.slice(0, longestField - 1).toWellFormed()}…`;

/** `list[3].properties` and `some key` are `list[3].properties.some key`. */
export const join = (path: string, name: string): string => (path === '' ? name : `${path}.${name}`);
