import { type FreeForm, type MemberNames } from '@sluice/contracts';
import { dropConflicts, outOfRange } from './conflicts.js';
import { hashDottedPath, hashName, hashPath } from './names/name-hash.js';
import { isReservedName, type UsedNames } from './names/used-names.js';
import { joinPath, type Report } from './report.js';

/** Bounds of docs/api.md#free-form-values. Values out of range are dropped; a bad restricted name is refused. */
export const freeFormBounds = { stringLength: 4_096, arrayItems: 256, depth: 8, members: 256 } as const;

export const restrictedName = /^[A-Za-z0-9_\-.$]{1,64}$/;
const namesMustBe = 'names must be 1 to 64 of the characters A-Z a-z 0-9 _ - . $';

/**
 * Returns a free-form object as it will be stored: the sent object itself when all of it is in range and no name has a
 * dot, else a copy without the rest. The report names the dropped values, or the names that refuse the message.
 * @param columnHash name of the object's column, as `hashName` has it
 */
export function keepStorable(
  value: FreeForm,
  path: string,
  names: MemberNames,
  report: Report,
  columnHash: number,
): FreeForm {
  const walk = new Walk(names, report);
  const shaped = walk.keepObject(value, path, 1, columnHash);
  return walk.sawDottedName ? dropConflicts(shaped, path, report) : shaped;
}

/**
 * Copies the members before the first one that is not kept as sent. Dropped members are never copied: a hostile object
 * can have tens of thousands, and deleting them from a copy took half a second.
 */
export function copyMembersBefore(first: string, sent: FreeForm): FreeForm {
  // Without a prototype, a member named __proto__ is a member like any other.
  const copy = Object.create(null) as FreeForm;
  for (const name in sent) {
    if (name === first) break;
    copy[name] = sent[name];
  }
  return copy;
}

class Walk {
  sawDottedName = false;
  private members = 0;
  private readonly judgedNames: Map<string, KnownName>;
  private readonly usedNames: UsedNames | undefined;

  constructor(
    private readonly names: MemberNames,
    private readonly report: Report,
  ) {
    this.judgedNames = knownNames[names];
    this.usedNames = report.names;
  }

  /** @param pathHash see `hashPath` */
  keepObject(value: FreeForm, path: string, depth: number, pathHash: number): FreeForm {
    let copy: FreeForm | undefined;
    // `for in` is safe: a parsed object inherits nothing enumerable. A second lookup by name took half of the time.
    for (const name in value) {
      const sent = value[name];
      const member = this.keepMember(name, sent, path, depth, pathHash);
      if (copy === undefined) {
        if (member === sent) continue;
        copy = copyMembersBefore(name, value);
      }
      if (member !== outOfRange) copy[name] = member;
    }
    return copy ?? value;
  }

  private keepMember(name: string, value: unknown, path: string, depth: number, parentHash: number): unknown {
    const entry = this.judgeOnce(name);
    const { verdict } = entry;
    if (verdict === 'refused') {
      this.report.refuse(joinPath(path, name), namesMustBe);
      return value;
    }
    if (verdict === 'not storable') return this.drop(joinPath(path, name), 'the name cannot be stored');
    // Most names have no dot and need no further check.
    const level = verdict === 'plain' ? depth : depth + this.noteAndCountDots(name);
    if (level > freeFormBounds.depth)
      return this.drop(joinPath(path, name), `deeper than ${freeFormBounds.depth} levels`);
    if (++this.members > freeFormBounds.members)
      return this.drop(joinPath(path, name), `over ${freeFormBounds.members} members`);
    const pathHash = this.hashMemberPath(entry, name, value, depth, parentHash);
    // Fast path: common values need no path and no call.
    if (typeof value === 'string' && value.length <= freeFormBounds.stringLength && value.isWellFormed()) return value;
    if (typeof value === 'boolean' || value === null) return value;
    if (typeof value === 'number' && Math.abs(value) <= 2 ** 53) return value;
    return this.keepValue(value, joinPath(path, name), level, pathHash);
  }

  /** Hash of the path of a member, whose name is then used. Items of a batch have the same names: each is asked for once. */
  private hashMemberPath(entry: KnownName, name: string, value: unknown, depth: number, parentHash: number): number {
    const { usedNames } = this;
    if (entry.request === usedNames?.request && entry.parentHash === parentHash) return entry.pathHash;
    const pathHash = entry.verdict === 'plain' ? hashPath(parentHash, entry.hash) : hashDottedPath(parentHash, name);
    if (usedNames === undefined || !this.noteUse(usedNames, pathHash, value, entry.isReserved && depth === 1))
      return pathHash;
    entry.request = usedNames.request;
    entry.parentHash = parentHash;
    entry.pathHash = pathHash;
    return pathHash;
  }

  /**
   * Notes in the report when the path of a value is new. True when it is known to be used. Objects have no value of
   * their own, and nulls are not stored.
   */
  private noteUse(usedNames: UsedNames, pathHash: number, value: unknown, isReserved: boolean): boolean {
    const { report } = this;
    if (report.hasNewNames || (typeof value === 'object' && !Array.isArray(value) && !isReserved)) return false;
    const isKnown = !isReserved && usedNames.has(pathHash);
    if (!isKnown) report.hasNewNames = true;
    return isKnown;
  }

  private judgeOnce(name: string): KnownName {
    const { judgedNames } = this;
    const entry = judgedNames.get(name);
    if (entry !== undefined) return entry;
    const verdict = judgeName(name, this.names);
    const latest = { request: 0, parentHash: 0, pathHash: 0 };
    const newEntry = { verdict, hash: hashName(name), isReserved: isReservedName(name), ...latest };
    if (name.length > maxKnownNameLength) return newEntry;
    // A client that fills it with new names slows others for a moment only.
    if (judgedNames.size >= maxNames) judgedNames.clear();
    judgedNames.set(name, newEntry);
    return newEntry;
  }

  private noteAndCountDots(name: string): number {
    this.sawDottedName = true;
    return countDots(name);
  }

  private keepValue(value: unknown, path: string, depth: number, pathHash: number): unknown {
    if (typeof value === 'string') return this.keepString(value, path);
    if (typeof value === 'number') return this.keepNumber(value, path);
    if (typeof value !== 'object' || value === null) return value;
    if (depth >= freeFormBounds.depth) return this.drop(path, `deeper than ${freeFormBounds.depth} levels`);
    return Array.isArray(value)
      ? this.keepArray(value, path, depth + 1, pathHash)
      : this.keepObject(value as FreeForm, path, depth + 1, pathHash);
  }

  private keepString(value: string, path: string): unknown {
    if (!value.isWellFormed()) return this.drop(path, 'not well-formed Unicode');
    return isLongerThan(freeFormBounds.stringLength, value)
      ? this.drop(path, `over ${freeFormBounds.stringLength} characters`)
      : value;
  }

  private keepNumber(value: number, path: string): unknown {
    if (!Number.isFinite(value)) return this.drop(path, 'not a finite number');
    const tooLarge = Math.abs(value) > 2 ** 53 && Number.isInteger(value);
    return tooLarge ? this.drop(path, 'a whole number beyond ±2^53') : value;
  }

  /** Items that are out of range are removed and reported; later items move up. */
  private keepArray(items: unknown[], path: string, depth: number, pathHash: number): unknown {
    if (items.length > freeFormBounds.arrayItems) return this.drop(path, `over ${freeFormBounds.arrayItems} items`);
    const inRange = items.map((item, index) => this.keepValue(item, `${path}[${index}]`, depth, pathHash));
    const storable = inRange.includes(null) ? this.dropLostNulls(inRange, path) : inRange;
    if (storable.every((item, index) => item === items[index])) return items;
    // Conflicts are reported by the items' positions as sent, so conflicts.ts removes the gaps afterwards.
    return this.sawDottedName ? storable : storable.filter((item) => item !== outOfRange);
  }

  /**
   * Drops the nulls of an array without any text, number or boolean: ClickHouse may read such a null back as `[]` or
   * `{}`, depending on the values of other rows at the same path.
   */
  private dropLostNulls(items: unknown[], path: string): unknown[] {
    if (items.some(isScalar)) return items;
    return items.map((item, index) => (item === null ? this.drop(`${path}[${index}]`, 'a null without values') : item));
  }

  private drop(path: string, reason: string): typeof outOfRange {
    this.report.drop(path, reason);
    return outOfRange;
  }
}

const isScalar = (value: unknown): boolean => ['string', 'number', 'boolean'].includes(typeof value);

type NameVerdict = 'refused' | 'not storable' | 'plain' | 'dotted';

interface KnownName {
  readonly verdict: NameVerdict;
  readonly hash: number;
  readonly isReserved: boolean;
  /** The latest request that used the name, and where: its object and its path, as hashes. */
  request: number;
  parentHash: number;
  pathHash: number;
}

/** Upper bound of remembered names, so that no client can fill the memory. Names repeat: each is judged once. */
const maxNames = 10_000;
const maxKnownNameLength = 64;
const knownNames: Record<MemberNames, Map<string, KnownName>> = { restricted: new Map(), free: new Map() };

function judgeName(name: string, names: MemberNames): NameVerdict {
  if (names === 'restricted' && !restrictedName.test(name)) return 'refused';
  if (!isStorableName(name)) return 'not storable';
  return name.includes('.') ? 'dotted' : 'plain';
}

/** ClickHouse stores names as paths; a path with an empty part could not be queried. */
function isStorableName(name: string): boolean {
  const hasEmptyPart = name === '' || name.startsWith('.') || name.endsWith('.') || name.includes('..');
  return !hasEmptyPart && name.isWellFormed() && !isLongerThan(freeFormBounds.stringLength, name);
}

/** `{"a.b":1}` is stored as `{"a":{"b":1}}`: each dot is a level. */
const countDots = (name: string): number => name.split('.').length - 1;

/** Counts code points, which are at most as many as UTF-16 units and at least half as many. */
function isLongerThan(limit: number, text: string): boolean {
  if (text.length <= limit || text.length > 2 * limit) return text.length > limit;
  const surrogatePairs = text.match(/[\ud800-\udbff][\udc00-\udfff]/g)?.length ?? 0;
  return text.length - surrogatePairs > limit;
}
