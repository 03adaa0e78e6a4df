import { type FreeForm, isObject } from '@sluice/contracts';
import { join, type Report } from './report.js';

/** Stands for a value that is out of range; no JSON value is a symbol. */
export const outOfRange = Symbol('out of range');

/**
 * Drops values at a path that already has one. ClickHouse reads `{"a.b":1}` as `{"a":{"b":1}}`: when a dotted name and
 * a nested object both set the same path, the second is dropped and reported. Called only when a name has a dot.
 */
export function dropConflicts(object: FreeForm, path: string, report: Report): FreeForm {
  return new Paths(report).keep(object, path, '');
}

class Paths {
  /** Paths that have a value. */
  private readonly leaves = new Set<string>();
  /** Paths that have values below them. */
  private readonly branches = new Set<string>();

  constructor(private readonly report: Report) {}

  keep(object: FreeForm, path: string, stored: string): FreeForm {
    const kept = Object.create(null) as FreeForm;
    for (const [name, value] of Object.entries(object)) {
      const at = stored === '' ? name : `${stored}.${name}`;
      if (isObject(value)) {
        const below = this.keep(value, join(path, name), at);
        if (Object.keys(below).length > 0) kept[name] = below;
      } else if (value === null) continue;
      else if (this.isTaken(at)) this.report.drop(join(path, name), 'the same path was sent before');
      else kept[name] = this.take(at, Array.isArray(value) ? this.items(value, join(path, name)) : value);
    }
    return kept;
  }

  /** Checks objects in arrays, each with paths of its own, and removes the items that are out of range. */
  private items(items: unknown[], path: string): unknown[] {
    const kept = items.map((item, index) => {
      const at = `${path}[${index}]`;
      if (Array.isArray(item)) return this.items(item, at);
      return isObject(item) ? dropConflicts(item, at, this.report) : item;
    });
    return kept.filter((item) => item !== outOfRange);
  }

  private isTaken(at: string): boolean {
    return this.leaves.has(at) || this.branches.has(at) || prefixesOf(at).some((prefix) => this.leaves.has(prefix));
  }

  private take<T>(at: string, value: T): T {
    this.leaves.add(at);
    for (const prefix of prefixesOf(at)) this.branches.add(prefix);
    return value;
  }
}

/** Returns `a` and `a.b` for `a.b.c`. */
function prefixesOf(at: string): string[] {
  const parts = at.split('.');
  return parts.slice(1).map((_, index) => parts.slice(0, index + 1).join('.'));
}
