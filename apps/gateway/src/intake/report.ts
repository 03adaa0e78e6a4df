import { type Problem } from '../errors/api-error.js';

const most = 1_000;

/** What there is to say of a message: why it is refused, and what is left out of it when it is not. */
export class Report {
  /** Any of them refuses the message. */
  readonly problems: Problem[] = [];
  /** Values and fields that are not stored. */
  readonly dropped: Problem[] = [];

  refuse(field: string, message: string): void {
    this.problems.push({ field, message });
  }

  drop(field: string, message: string): void {
    this.dropped.push({ field, message });
  }
}

/** As many entries as an answer should have, and how many more there are: a small body must not make a huge answer. */
export function bounded(entries: readonly Problem[]): Problem[] {
  if (entries.length <= most) return [...entries];
  return [...entries.slice(0, most), { field: '', message: `and ${entries.length - most} more` }];
}

/** `list[3].properties` and `some key` are `list[3].properties.some key`. */
export const join = (path: string, name: string): string => (path === '' ? name : `${path}.${name}`);
