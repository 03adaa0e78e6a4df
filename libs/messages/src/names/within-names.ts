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
  for (const [column, value] of Object.entries<unknown>(message as Record<string, unknown>)) {
    if (!isObject(value)) continue;
    const kept = new Bounded(names).column(value, column);
    if (kept === value) continue;
    copy ??= { ...message };
    Object.assign(copy, { [column]: kept });
    report.drop(join(path, column), keptAsText);
  }
  return copy ?? message;
}

/** One free-form object and what is beyond the bound in it, by path. */
class Bounded {
  private readonly more: FreeForm = Object.create(null) as FreeForm;

  constructor(private readonly names: UsedNames) {}

  column(value: FreeForm, column: string): FreeForm {
    const kept = this.object(value, hashOfName(column), '');
    if (kept === value) return value;
    const copy = Object.assign(Object.create(null) as FreeForm, kept);
    copy[moreNames] = JSON.stringify(this.more);
    return copy;
  }

  /** The object itself if all its paths are within the bound, else a copy; undefined if nothing of it is left. */
  private object(value: FreeForm, parent: number, path: string): FreeForm | undefined {
    const kept = Object.create(null) as FreeForm;
    let [isWhole, count] = [true, 0];
    for (const [name, sent] of Object.entries(value)) {
      const member = this.member(name, sent, parent, path);
      isWhole &&= member === sent;
      if (member === undefined) continue;
      kept[name] = member;
      count += 1;
    }
    if (isWhole) return value;
    return count > 0 ? kept : undefined;
  }

  private member(name: string, value: unknown, parent: number, path: string): unknown {
    const at = join(path, name);
    const hash = name.includes('.') ? hashOfDottedPath(parent, name) : hashOfPath(parent, hashOfName(name));
    const isReserved = path === '' && isReservedName(name);
    if (isObject(value) && !isReserved) return this.object(value, hash, at);
    if (value === null || (!isReserved && this.names.admit(hash)))
      return Array.isArray(value) ? this.items(value, hash, at) : value;
    this.more[at] = value;
    return undefined;
  }

  /** Items keep their places: one of which nothing is left is an empty object. */
  private items(items: unknown[], parent: number, path: string): unknown[] {
    const kept = items.map((item, index) => {
      const at = `${path}[${index}]`;
      if (Array.isArray(item)) return this.items(item, parent, at);
      return isObject(item) ? (this.object(item, parent, at) ?? {}) : item;
    });
    return kept.every((item, index) => item === items[index]) ? items : kept;
  }
}
