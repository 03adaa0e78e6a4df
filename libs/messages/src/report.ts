import { type UsedNames } from './names/used-names.js';
import { type Problem } from './problem.js';

const maxEntries = 1_000;
const maxFieldLength = 1_024;
/** Upper bound of the characters of all entries of an answer; a thousand usual entries have 60,000. */
const maxTextLength = 100_000;

/** Most messages have no problem, and make no list. */
const nothing: readonly Problem[] = [];

/** Problems for which a message is refused, and values that are dropped from a message that is taken. */
export class Report {
  private refusals: Problem[] | undefined;
  private drops: Problem[] | undefined;
  /** The names that the source uses; undefined when they have no bound. */
  names: UsedNames | undefined;
  /** Whether a free-form object has a name that is not among `names`. */
  hasNewNames = false;

  /** Problems; one is enough to refuse the message. */
  get problems(): readonly Problem[] {
    return this.refusals ?? nothing;
  }

  /** Values and fields that are not stored. */
  get dropped(): readonly Problem[] {
    return this.drops ?? nothing;
  }

  /** Whether the message is taken and nothing is dropped. */
  get isEmpty(): boolean {
    return this.refusals === undefined && this.drops === undefined;
  }

  refuse(field: string, message: string): void {
    (this.refusals ??= []).push({ field, message });
  }

  drop(field: string, message: string): void {
    (this.drops ??= []).push({ field, message });
  }
}

/**
 * The problems of all items of a request: the first ones, and the number of the rest. A small body must make neither a
 * huge answer nor a long list in memory.
 */
export class ProblemList {
  private readonly shown: Problem[] = [];
  private textLength = 0;
  private isFull = false;
  /** Number of all problems. */
  length = 0;
  /** Number of all problems by their message. */
  readonly countByMessage = new Map<string, number>();

  static from(problems: readonly Problem[]): ProblemList {
    const list = new ProblemList();
    list.addAll(problems);
    return list;
  }

  add({ field, message }: Problem): void {
    this.length++;
    this.countByMessage.set(message, (this.countByMessage.get(message) ?? 0) + 1);
    if (this.isFull) return;
    const entry = { field: shortenField(field), message };
    this.textLength += entry.field.length + message.length;
    this.isFull = this.shown.length >= maxEntries || this.textLength > maxTextLength;
    if (!this.isFull) this.shown.push(entry);
  }

  /** Adds one by one: a hostile item has more problems than a call may have arguments. */
  addAll(problems: readonly Problem[]): void {
    for (const problem of problems) this.add(problem);
  }

  /** The first problems as an answer has them: with their paths shortened, and an entry for the rest. */
  get entries(): Problem[] {
    const hiddenCount = this.length - this.shown.length;
    return hiddenCount === 0 ? [...this.shown] : [...this.shown, { field: '', message: `and ${hiddenCount} more` }];
  }
}

/** The entries of an answer for these problems, bounded. */
export const boundProblems = (problems: readonly Problem[]): Problem[] => ProblemList.from(problems).entries;

/** Number of problems by their message. */
export const countByMessage = (problems: readonly Problem[]): Map<string, number> =>
  ProblemList.from(problems).countByMessage;

/** Shortens a path: a long name repeats in the path of every entry below it. */
const shortenField = (field: string): string =>
  field.length <= maxFieldLength ? field : `${field.slice(0, maxFieldLength - 1).toWellFormed()}…`;

/** Joins `list[3].properties` and `some key` to `list[3].properties.some key`. */
export const joinPath = (path: string, name: string): string => (path === '' ? name : `${path}.${name}`);
