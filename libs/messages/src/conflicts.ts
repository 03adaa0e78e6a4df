import { type FreeForm, isObject } from '@sluice/contracts';
import { joinPath, type Report } from './report.js';

/** Stands for a value that is out of range; no JSON value is a symbol. */
export const outOfRange = Symbol('out of range');

/**
 * Drops values at a path that already has one. ClickHouse reads `{"a.b":1}` as `{"a":{"b":1}}`: when a dotted name and
 * a nested object both set the same path, the second is dropped and reported. Called only when a name has a dot.
 */
export function dropConflicts(object: FreeForm, path: string, report: Report): FreeForm {
  return new StoredPaths(report).copyWithoutConflicts(object, path, '');
}

class StoredPaths {
  /** Paths that have a value. */
  private readonly leaves = new Set<string>();
  /** Paths that have values below them. */
  private readonly branches = new Set<string>();

  constructor(private readonly report: Report) {}

  copyWithoutConflicts(object: FreeForm, path: string, storedParent: string): FreeForm {
    const copy = Object.create(null) as FreeForm;
    for (const [name, value] of Object.entries(object)) {
      const storedPath = storedParent === '' ? name : `${storedParent}.${name}`;
      if (isObject(value)) {
        const nested = this.copyWithoutConflicts(value, joinPath(path, name), storedPath);
        if (Object.keys(nested).length > 0) copy[name] = nested;
      } else if (value === null) continue;
      else if (this.isTaken(storedPath)) this.report.drop(joinPath(path, name), 'the same path was sent before');
      else
        copy[name] = this.claim(
          storedPath,
          Array.isArray(value) ? this.checkItems(value, joinPath(path, name)) : value,
        );
    }
    return copy;
  }

  /** Checks objects in arrays, each with paths of its own, and removes the items that are out of range. */
  private checkItems(items: unknown[], path: string): unknown[] {
    const checkedItems = items.map((item, index) => {
      const itemPath = `${path}[${index}]`;
      if (Array.isArray(item)) return this.checkItems(item, itemPath);
      return isObject(item) ? dropConflicts(item, itemPath, this.report) : item;
    });
    return checkedItems.filter((item) => item !== outOfRange);
  }

  private isTaken(storedPath: string): boolean {
    return (
      this.leaves.has(storedPath) ||
      this.branches.has(storedPath) ||
      listPrefixes(storedPath).some((prefix) => this.leaves.has(prefix))
    );
  }

  private claim<T>(storedPath: string, value: T): T {
    this.leaves.add(storedPath);
    for (const prefix of listPrefixes(storedPath)) this.branches.add(prefix);
    return value;
  }
}

/** Returns `a` and `a.b` for `a.b.c`. */
function listPrefixes(storedPath: string): string[] {
  const parts = storedPath.split('.');
  return parts.slice(1).map((_, index) => parts.slice(0, index + 1).join('.'));
}
