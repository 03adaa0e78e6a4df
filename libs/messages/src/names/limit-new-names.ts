import { type FreeForm, isObject } from '@sluice/contracts';
import { joinPath, type Report } from '../report.js';
import { hashDottedPath, hashName, hashPath } from './name-hash.js';
import { isReservedName, moreNames, type UsedNames } from './used-names.js';

export const keptAsText = `new names beyond the bound of the source are kept as text in ${moreNames}`;

/**
 * Returns the message with the names of its free-form objects within the bound of its source: the message itself if they
 * are, else a copy in which `moreNames` has the others. The report names the objects.
 * @param path of the message in the body of the request
 */
export function limitNewNames<T extends object>(message: T, names: UsedNames, path: string, report: Report): T {
  let copy: T | undefined;
  const division = new NameDivision(names);
  for (const [column, value] of Object.entries<unknown>(message as Record<string, unknown>)) {
    if (!isObject(value)) continue;
    const limited = division.divideColumn(value, column);
    if (limited === value) continue;
    copy ??= { ...message };
    Object.assign(copy, { [column]: limited });
    report.drop(joinPath(path, column), keptAsText);
  }
  return copy ?? message;
}

/** The parts of a value within the bound and beyond it; a part is undefined if it is empty. */
interface DividedValue {
  readonly within: unknown;
  readonly beyond?: unknown;
}

/**
 * Divides free-form objects. What is beyond the bound keeps the form in which it was sent: written by its paths, the
 * names of an object would be repeated for each of its members, and a message of 8 KB could become a megabyte.
 */
class NameDivision {
  constructor(private readonly names: UsedNames) {}

  divideColumn(value: FreeForm, column: string): FreeForm {
    const { within, beyond } = this.divideObject(value, hashName(column), true);
    if (beyond === undefined) return value;
    const copy = Object.assign(Object.create(null) as FreeForm, within);
    copy[moreNames] = JSON.stringify(beyond);
    return copy;
  }

  private divideObject(value: FreeForm, parent: number, isColumn = false): DividedValue {
    let [within, beyond]: [FreeForm | undefined, FreeForm | undefined] = [undefined, undefined];
    for (const [name, sent] of Object.entries(value)) {
      const parts = this.divideMember(name, sent, parent, isColumn);
      if (parts.within !== undefined) (within ??= Object.create(null) as FreeForm)[name] = parts.within;
      if (parts.beyond !== undefined) (beyond ??= Object.create(null) as FreeForm)[name] = parts.beyond;
    }
    return beyond === undefined ? { within: value } : { within, beyond };
  }

  private divideMember(name: string, value: unknown, parent: number, isInColumn: boolean): DividedValue {
    const hash = name.includes('.') ? hashDottedPath(parent, name) : hashPath(parent, hashName(name));
    const isReserved = isInColumn && isReservedName(name);
    if (isObject(value) && !isReserved) return this.divideObject(value, hash);
    if (value !== null && (isReserved || !this.names.admit(hash))) return { within: undefined, beyond: value };
    return Array.isArray(value) ? this.divideItems(value, hash) : { within: value };
  }

  /** Items keep their places: one of which nothing is left is an empty object, one without anything beyond is null. */
  private divideItems(items: unknown[], parent: number): DividedValue {
    const parts = items.map((item): DividedValue => {
      if (Array.isArray(item)) return this.divideItems(item, parent);
      return isObject(item) ? this.divideObject(item, parent) : { within: item };
    });
    if (parts.every(({ beyond }) => beyond === undefined)) return { within: items };
    return { within: parts.map(({ within }) => within ?? {}), beyond: parts.map(({ beyond }) => beyond ?? null) };
  }
}
