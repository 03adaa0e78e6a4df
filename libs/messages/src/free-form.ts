import { type FreeForm, type MemberNames } from '@sluice/contracts';
import { dropConflicts, outOfRange } from './conflicts.js';
import { hashOfDottedPath, hashOfName, hashOfPath } from './names/name-hash.js';
import { isReservedName, type UsedNames } from './names/used-names.js';
import { join, type Report } from './report.js';

/** Bounds of docs/api.md#free-form-values. Values out of range are dropped; a bad restricted name is refused. */
export const bounds = { stringLength: 4_096, arrayItems: 256, depth: 8, members: 256 } as const;

export const restrictedName = /^[A-Za-z0-9_\-.$]{1,64}$/;
const namesMustBe = 'names must be 1 to 64 of the characters A-Z a-z 0-9 _ - . $';

/**
 * Returns a free-form object as it will be stored: the sent object itself when all of it is in range and no name has a
 * dot, else a copy without the rest. The report names the dropped values, or the names that refuse the message.
 * @param column name of the object's column, as `hashOfName` has it
 */
export function shape(value: FreeForm, path: string, names: MemberNames, report: Report, column: number): FreeForm {
  const walk = new Walk(names, report);
  const kept = walk.object(value, path, 1, column);
  return walk.sawDottedName ? dropConflicts(kept, path, report) : kept;
}

/**
 * Copies the members before the first one that is not kept as sent. Dropped members are never copied: a hostile object
 * can have tens of thousands, and deleting them from a copy took half a second.
 */
export function membersBefore(first: string, sent: FreeForm): FreeForm {
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
  private readonly known: Map<string, KnownName>;
  private readonly used: UsedNames | undefined;

  constructor(
    private readonly names: MemberNames,
    private readonly report: Report,
  ) {
    this.known = knownNames[names];
    this.used = report.names;
  }

  /** @param hash of the path, see `hashOfPath` */
  object(value: FreeForm, path: string, depth: number, hash: number): FreeForm {
    let kept: FreeForm | undefined;
    // `for in` is safe: a parsed object inherits nothing enumerable. A second lookup by name took half of the time.
    for (const name in value) {
      const sent = value[name];
      const member = this.member(name, sent, path, depth, hash);
      if (kept === undefined) {
        if (member === sent) continue;
        kept = membersBefore(name, value);
      }
      if (member !== outOfRange) kept[name] = member;
    }
    return kept ?? value;
  }

  private member(name: string, value: unknown, path: string, depth: number, parent: number): unknown {
    const known = this.knownName(name);
    const { verdict } = known;
    if (verdict === 'refused') {
      this.report.refuse(join(path, name), namesMustBe);
      return value;
    }
    if (verdict === 'not storable') return this.drop(join(path, name), 'the name cannot be stored');
    // Most names have no dot and need no further check.
    const level = verdict === 'plain' ? depth : depth + this.dotted(name);
    if (level > bounds.depth) return this.drop(join(path, name), `deeper than ${bounds.depth} levels`);
    if (++this.members > bounds.members) return this.drop(join(path, name), `over ${bounds.members} members`);
    const hash = this.pathOf(known, name, value, depth, parent);
    // Fast path: common values need no path and no call.
    if (typeof value === 'string' && value.length <= bounds.stringLength && value.isWellFormed()) return value;
    if (typeof value === 'boolean' || value === null) return value;
    if (typeof value === 'number' && Math.abs(value) <= 2 ** 53) return value;
    return this.value(value, join(path, name), level, hash);
  }

  /** Hash of the path of a member, whose name is then used. Items of a batch have the same names: each is asked for once. */
  private pathOf(known: KnownName, name: string, value: unknown, depth: number, parent: number): number {
    const { used } = this;
    if (known.request === used?.request && known.parent === parent) return known.path;
    const hash = known.verdict === 'plain' ? hashOfPath(parent, known.hash) : hashOfDottedPath(parent, name);
    if (used === undefined || !this.isUsed(used, hash, value, known.isReserved && depth === 1)) return hash;
    known.request = used.request;
    known.parent = parent;
    known.path = hash;
    return hash;
  }

  /** Whether the path of a value is known to be used. Objects have no value of their own, and nulls are not stored. */
  private isUsed(used: UsedNames, hash: number, value: unknown, isReserved: boolean): boolean {
    const { report } = this;
    if (report.hasNewNames || (typeof value === 'object' && !Array.isArray(value) && !isReserved)) return false;
    const isKnown = !isReserved && used.has(hash);
    if (!isKnown) report.hasNewNames = true;
    return isKnown;
  }

  private knownName(name: string): KnownName {
    const { known } = this;
    const found = known.get(name);
    if (found !== undefined) return found;
    const verdict = judge(name, this.names);
    const latest = { request: 0, parent: 0, path: 0 };
    const judged = { verdict, hash: hashOfName(name), isReserved: isReservedName(name), ...latest };
    if (name.length > maxKnownNameLength) return judged;
    // A client that fills it with new names slows others for a moment only.
    if (known.size >= maxNames) known.clear();
    known.set(name, judged);
    return judged;
  }

  private dotted(name: string): number {
    this.sawDottedName = true;
    return dotsOf(name);
  }

  private value(value: unknown, path: string, depth: number, hash: number): unknown {
    if (typeof value === 'string') return this.string(value, path);
    if (typeof value === 'number') return this.number(value, path);
    if (typeof value !== 'object' || value === null) return value;
    if (depth >= bounds.depth) return this.drop(path, `deeper than ${bounds.depth} levels`);
    return Array.isArray(value)
      ? this.array(value, path, depth + 1, hash)
      : this.object(value as FreeForm, path, depth + 1, hash);
  }

  private string(value: string, path: string): unknown {
    if (!value.isWellFormed()) return this.drop(path, 'not well-formed Unicode');
    return isLongerThan(bounds.stringLength, value) ? this.drop(path, `over ${bounds.stringLength} characters`) : value;
  }

  private number(value: number, path: string): unknown {
    if (!Number.isFinite(value)) return this.drop(path, 'not a finite number');
    const tooLarge = Math.abs(value) > 2 ** 53 && Number.isInteger(value);
    return tooLarge ? this.drop(path, 'a whole number beyond ±2^53') : value;
  }

  /** Items that are out of range are removed and reported; later items move up. */
  private array(items: unknown[], path: string, depth: number, hash: number): unknown {
    if (items.length > bounds.arrayItems) return this.drop(path, `over ${bounds.arrayItems} items`);
    const inRange = items.map((item, index) => this.value(item, `${path}[${index}]`, depth, hash));
    const kept = inRange.includes(null) ? this.withoutLostNulls(inRange, path) : inRange;
    if (kept.every((item, index) => item === items[index])) return items;
    // Conflicts are reported by the items' positions as sent, so conflicts.ts removes the gaps afterwards.
    return this.sawDottedName ? kept : kept.filter((item) => item !== outOfRange);
  }

  /**
   * Drops the nulls of an array without any text, number or boolean: ClickHouse may read such a null back as `[]` or
   * `{}`, depending on the values of other rows at the same path.
   */
  private withoutLostNulls(items: unknown[], path: string): unknown[] {
    if (items.some(isScalar)) return items;
    return items.map((item, index) => (item === null ? this.drop(`${path}[${index}]`, 'a null without values') : item));
  }

  private drop(path: string, why: string): typeof outOfRange {
    this.report.drop(path, why);
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
  parent: number;
  path: number;
}

/** Upper bound of remembered names, so that no client can fill the memory. Names repeat: each is judged once. */
const maxNames = 10_000;
const maxKnownNameLength = 64;
const knownNames: Record<MemberNames, Map<string, KnownName>> = { restricted: new Map(), free: new Map() };

function judge(name: string, names: MemberNames): NameVerdict {
  if (names === 'restricted' && !restrictedName.test(name)) return 'refused';
  if (!isStorableName(name)) return 'not storable';
  return name.includes('.') ? 'dotted' : 'plain';
}

/** ClickHouse stores names as paths; a path with an empty part could not be queried. */
function isStorableName(name: string): boolean {
  const hasEmptyPart = name === '' || name.startsWith('.') || name.endsWith('.') || name.includes('..');
  return !hasEmptyPart && name.isWellFormed() && !isLongerThan(bounds.stringLength, name);
}

/** `{"a.b":1}` is stored as `{"a":{"b":1}}`: each dot is a level. */
const dotsOf = (name: string): number => name.split('.').length - 1;

/** Counts code points, which are at most as many as UTF-16 units and at least half as many. */
function isLongerThan(limit: number, text: string): boolean {
  if (text.length <= limit || text.length > 2 * limit) return text.length > limit;
  const surrogatePairs = text.match(/[\ud800-\udbff][\udc00-\udfff]/g)?.length ?? 0;
  return text.length - surrogatePairs > limit;
}
