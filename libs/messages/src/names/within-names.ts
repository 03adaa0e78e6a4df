import { type FreeForm, isObject } from '@sluice/contracts';
import { join, type Report } from '../report.js';
import { hashOfDottedPath, hashOfName, hashOfPath } from './name-hash.js';
import { isReservedName, moreNames, type UsedNames } from './used-names.js';

export const keptAsText = `new names beyond the bound of the source are kept as text in ${moreNames}`;

/**
 * Returns the message with the names of its free-form objects within the bound of its source: the message itself if they
 * are, else a copy in which `moreNames` has the others. The report names the objects.
 * @param path of the message in the body of the request
 */
export function withinNames<T extends object>(message: T, names: UsedNames, path: string, report: Report): T {
  let copy: T | undefined;
  const division = new NameDivision(names);
  for (const [column, value] of Object.entries<unknown>(message as Record<string, unknown>)) {
    if (!isObject(value)) continue;
    const kept = division.column(value, column);
    if (kept === value) continue;
    copy ??= { ...message };
    Object.assign(copy, { [column]: kept });
    report.drop(join(path, column), keptAsText);
  }
  return copy ?? message;
}

/** A value without what is beyond the bound, and that: each undefined when there is nothing of it. */
interface Parts {
  readonly kept: unknown;
  readonly more?: unknown;
}

/**
 * Divides free-form objects. What is beyond the bound keeps the form in which it was sent: written by its paths, the
 * names of an object would be repeated for each of its members, and a message of 8 KB could become a megabyte.
 */
class NameDivision {
  constructor(private readonly names: UsedNames) {}

  column(value: FreeForm, column: string): FreeForm {
    const { kept, more } = this.object(value, hashOfName(column), true);
    if (more === undefined) return value;
    const copy = Object.assign(Object.create(null) as FreeForm, kept);
    copy[moreNames] = JSON.stringify(more);
    return copy;
  }

  private object(value: FreeForm, parent: number, isColumn = false): Parts {
    let [kept, more]: [FreeForm | undefined, FreeForm | undefined] = [undefined, undefined];
    for (const [name, sent] of Object.entries(value)) {
      const parts = this.member(name, sent, parent, isColumn);
      if (parts.kept !== undefined) (kept ??= Object.create(null) as FreeForm)[name] = parts.kept;
      if (parts.more !== undefined) (more ??= Object.create(null) as FreeForm)[name] = parts.more;
    }
    return more === undefined ? { kept: value } : { kept, more };
  }

  private member(name: string, value: unknown, parent: number, isOfColumn: boolean): Parts {
    const hash = name.includes('.') ? hashOfDottedPath(parent, name) : hashOfPath(parent, hashOfName(name));
    const isReserved = isOfColumn && isReservedName(name);
    if (isObject(value) && !isReserved) return this.object(value, hash);
    if (value !== null && (isReserved || !this.names.admit(hash))) return { kept: undefined, more: value };
    return Array.isArray(value) ? this.items(value, hash) : { kept: value };
  }

  /** Items keep their places: one of which nothing is left is an empty object, one without anything beyond is null. */
  private items(items: unknown[], parent: number): Parts {
    const parts = items.map((item): Parts => {
      if (Array.isArray(item)) return this.items(item, parent);
      return isObject(item) ? this.object(item, parent) : { kept: item };
    });
    if (parts.every(({ more }) => more === undefined)) return { kept: items };
    return { kept: parts.map(({ kept }) => kept ?? {}), more: parts.map(({ more }) => more ?? null) };
  }
}
