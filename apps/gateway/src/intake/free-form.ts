import { type FreeForm, type MemberNames } from '@sluice/contracts';
import { dropConflicts, outOfRange } from './conflicts.js';
import { join, type Report } from './report.js';

/** Bounds of docs/api.md#free-form-values. A bad name refuses the call; a value out of range is dropped. */
export const bounds = { stringLength: 4_096, arrayItems: 256, depth: 8, members: 256 } as const;

export const restrictedName = /^[A-Za-z0-9_\-.$]{1,64}$/;
const namesMustBe = 'names must be 1 to 64 of the characters A-Z a-z 0-9 _ - . $';

/**
 * A free-form object as it will be stored: the very object that was sent when all of it is in range, else a copy
 * without what is not. The report says what was left out, or which names refuse the message.
 */
export function shape(value: FreeForm, path: string, names: MemberNames, report: Report): FreeForm {
  const walk = new Walk(names, report);
  const kept = walk.object(value, path, 1);
  return walk.sawDottedName ? dropConflicts(kept, path, report) : kept;
}

/**
 * Copies the members before the first one that is not kept as sent. Dropped members are never copied: a hostile object
 * has tens of thousands, and deleting them again took half a second.
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
  private readonly known: Map<string, NameVerdict>;

  constructor(
    private readonly names: MemberNames,
    private readonly report: Report,
  ) {
    this.known = verdicts[names];
  }

  object(value: FreeForm, path: string, depth: number): FreeForm {
    let kept: FreeForm | undefined;
    // What was parsed inherits nothing that is enumerable. Looking members up again by their names took half of the time.
    for (const name in value) {
      const sent = value[name];
      const member = this.member(name, sent, path, depth);
      if (kept === undefined) {
        if (member === sent) continue;
        kept = membersBefore(name, value);
      }
      if (member !== outOfRange) kept[name] = member;
    }
    return kept ?? value;
  }

  private member(name: string, value: unknown, path: string, depth: number): unknown {
    const verdict = this.verdictOf(name);
    if (verdict === 'refused') {
      this.report.refuse(join(path, name), namesMustBe);
      return value;
    }
    if (verdict === 'not storable') return this.drop(join(path, name), 'the name cannot be stored');
    // Most names have no dot, and then nothing more is to be asked of them.
    const level = verdict === 'plain' ? depth : depth + this.dotted(name);
    if (level > bounds.depth) return this.drop(join(path, name), `deeper than ${bounds.depth} levels`);
    if (++this.members > bounds.members) return this.drop(join(path, name), `over ${bounds.members} members`);
    // The common cases need no path and no call.
    if (typeof value === 'string' && value.length <= bounds.stringLength && value.isWellFormed()) return value;
    if (typeof value === 'boolean' || value === null) return value;
    if (typeof value === 'number' && Math.abs(value) <= 2 ** 53) return value;
    return this.value(value, join(path, name), level);
  }

  private verdictOf(name: string): NameVerdict {
    const { known } = this;
    const verdict = known.get(name);
    if (verdict !== undefined) return verdict;
    const judged = judge(name, this.names);
    if (known.size < mostNames && name.length <= longestKnownName) known.set(name, judged);
    return judged;
  }

  private dotted(name: string): number {
    this.sawDottedName = true;
    return dotsOf(name);
  }

  private value(value: unknown, path: string, depth: number): unknown {
    if (typeof value === 'string') return this.string(value, path);
    if (typeof value === 'number') return this.number(value, path);
    if (typeof value !== 'object' || value === null) return value;
    if (depth >= bounds.depth) return this.drop(path, `deeper than ${bounds.depth} levels`);
    return Array.isArray(value) ? this.array(value, path, depth + 1) : this.object(value as FreeForm, path, depth + 1);
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

  /** An item that is out of range leaves a gap that nobody could see: the items behind it move up, and it is named. */
  private array(items: unknown[], path: string, depth: number): unknown {
    if (items.length > bounds.arrayItems) return this.drop(path, `over ${bounds.arrayItems} items`);
    const inRange = items.map((item, index) => this.value(item, `${path}[${index}]`, depth));
    const kept = inRange.includes(null) ? this.withoutLostNulls(inRange, path) : inRange;
    if (kept.every((item, index) => item === items[index])) return items;
    // Conflicts further down are named by the places of the items as sent; they close the gaps afterwards.
    return this.sawDottedName ? kept : kept.filter((item) => item !== outOfRange);
  }

  /**
   * Where no text, number or boolean lies beside a null, ClickHouse may read it back as `[]` or `{}`, by what other rows
   * have at the same path.
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

/** Names come again and again: each is judged once. Bounded, so that no client can fill the memory with names. */
const mostNames = 10_000;
const longestKnownName = 64;
const verdicts: Record<MemberNames, Map<string, NameVerdict>> = { restricted: new Map(), free: new Map() };

function judge(name: string, names: MemberNames): NameVerdict {
  if (names === 'restricted' && !restrictedName.test(name)) return 'refused';
  if (!isStorableName(name)) return 'not storable';
  return name.includes('.') ? 'dotted' : 'plain';
}

/** ClickHouse stores a path of names; a name of which a part is empty would not be found again. */
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
