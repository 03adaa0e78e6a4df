import { type FieldRule, type FieldRuleSet, type FreeForm, isObject } from '@sluice/contracts';
import { outOfRange } from '../conflicts.js';
import { copyMembersBefore } from '../free-form.js';
import { joinPath, Report } from '../report.js';
import { mergeTrees, type RuleNode, ruleTree } from './rule-tree.js';
import { truncateIp } from './truncated-ip.js';

/** The reason in an answer for a value that a rule left out. */
export const removedByRule = 'removed by a rule of the source';

/** Upper bound of the values of a message that are hashed; the others are left out. A list of lists can have 400,000. */
const maxHashes = 1_024;

/** Hashes a value with a key, by source; undefined when that cannot be done, so that the value is removed. */
export type FieldHash = (value: string) => string | undefined;

/**
 * Applies the rules of a source to fields of its messages. A path goes through arrays, and through names with dots: a
 * rule of `properties.card.number` holds for `{"card":[{"number":1}]}` and for `{"card.number":1}`. What was sent never
 * changes: objects with changes are copied.
 */
export class FieldRules {
  private readonly message: RuleNode;
  private readonly group: RuleNode;
  private readonly segment: RuleNode;
  /** Hashes that may still be made for the message at hand. */
  private hashesLeft = 0;

  constructor(
    rules: FieldRuleSet,
    private readonly hash: FieldHash,
  ) {
    const tree = ruleTree(rules);
    this.message = messageTree(tree);
    this.group = groupTree(this.message);
    this.segment = segmentTree(tree);
  }

  /**
   * The message as it is stored; the report names the values that are not.
   * @param isOfGroup whether its properties are the traits of a group
   */
  apply<T extends object>(message: T, path: string, report: Report, isOfGroup = false): T {
    this.hashesLeft = maxHashes;
    return this.applyToObject(message as FreeForm, isOfGroup ? this.group : this.message, path, report) as T;
  }

  /**
   * A refused item as its client sent it, with the rules applied. It need not be a valid message: only its members that
   * a reader of messages knows are left, because no rule holds for the others.
   * @param isSegment whether a client of Segment sent it: its members would be stored under other names
   */
  applyToRefused(item: unknown, isSegment: boolean): FreeForm | null {
    if (!isObject(item)) return null;
    this.hashesLeft = maxHashes;
    const knownMembers = isSegment ? segmentMembers : nativeMembers;
    const members = Object.entries(item).filter(([name, value]) => knownMembers.has(name) && isReadable(name, value));
    return this.applyToObject(Object.fromEntries(members), isSegment ? this.segment : this.message, '', new Report());
  }

  private applyToObject(sent: FreeForm, { below }: RuleNode, path: string, report: Report): FreeForm {
    let copy: FreeForm | undefined;
    for (const name in sent) {
      const value = sent[name];
      const node = name.includes('.') ? findNode(below, name) : below.get(name);
      const member = node === undefined ? value : this.applyToValue(value, node, joinPath(path, name), report);
      if (copy === undefined) {
        if (member === value) continue;
        copy = copyMembersBefore(name, sent);
      }
      if (member !== outOfRange) copy[name] = member;
    }
    return copy ?? sent;
  }

  private applyToValue(value: unknown, node: RuleNode, path: string, report: Report): unknown {
    if (value === null || value === undefined) return value;
    if (node.rule === 'drop') return removeValue(path, report);
    if (Array.isArray(value)) return this.applyToItems(value, node, path, report);
    if (node.rule !== undefined) return this.applyRule(value, node.rule) ?? removeValue(path, report);
    return isObject(value) ? this.applyToObject(value, node, path, report) : value;
  }

  private applyToItems(items: readonly unknown[], node: RuleNode, path: string, report: Report): unknown {
    const changedItems = items.map((item, index) => this.applyToValue(item, node, `${path}[${index}]`, report));
    if (changedItems.every((item, index) => item === items[index])) return items;
    return changedItems.filter((item) => item !== outOfRange);
  }

  /** Returns undefined for a value that the rule cannot be applied to. */
  private applyRule(value: unknown, rule: FieldRule): string | undefined {
    if (rule === 'truncate') return typeof value === 'string' ? truncateIp(value) : undefined;
    // An id that is sent as a number by one client and as text by another stays one value.
    const isScalar = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
    return isScalar && this.hashesLeft-- > 0 ? this.hash(String(value)) : undefined;
  }
}

function removeValue(path: string, report: Report): typeof outOfRange {
  report.drop(path, removedByRule);
  return outOfRange;
}

/** The node of a name with dots, which ClickHouse stores as a path. A rule of a part holds for everything below it. */
function findNode(below: ReadonlyMap<string, RuleNode>, name: string): RuleNode | undefined {
  const parts = name.split('.');
  let level = below;
  for (const [index, part] of parts.entries()) {
    const node = level.get(part);
    if (node === undefined || index === parts.length - 1) return node;
    // The value is part of an object, which can be neither truncated nor hashed.
    if (node.rule !== undefined) return { rule: 'drop', below: node.below };
    level = node.below;
  }
  return undefined;
}

/** Members of a message of the Tracking API, which may be kept when it is refused. */
const nativeMembers: ReadonlySet<string> = new Set(
  ['userId', 'anonymousId', 'event', 'timestamp'].concat(['properties', 'traits', 'context']),
);
/** Members of an item of a client of Segment, which may be kept when it is refused. */
const segmentMembers: ReadonlySet<string> = new Set([
  ...nativeMembers,
  ...['type', 'messageId', 'previousId', 'groupId', 'name', 'category', 'originalTimestamp', 'sentAt'],
]);
const freeFormNames: ReadonlySet<string> = new Set(['properties', 'traits', 'context']);

/** Whether rules can be applied to a member: those of a free-form object hold for no text that describes one. */
const isReadable = (name: string, value: unknown): boolean =>
  freeFormNames.has(name) ? isObject(value) : typeof value !== 'object' || value === null;

/** The rules of a message. Clients of RudderStack send the traits of the user in the context of every message. */
function messageTree(tree: RuleNode): RuleNode {
  const traits = tree.below.get('traits');
  if (traits === undefined) return tree;
  const context = mergeTrees(tree.below.get('context'), { below: new Map([['traits', traits]]) });
  return { ...tree, below: new Map([...tree.below, ['context', context]]) };
}

/** The rules of a message whose properties are the traits of a group. */
function groupTree({ below }: RuleNode): RuleNode {
  const properties = mergeTrees(below.get('properties'), below.get('traits'));
  return { below: new Map([...below, ['properties', properties]]) };
}

/**
 * The rules of an item of a client of Segment. Its traits may become properties, the traits in its context may become
 * traits, and some members become properties (segment-item.ts): a member gets the rules of all that it may become.
 */
function segmentTree({ below }: RuleNode): RuleNode {
  const [properties, traits] = [below.get('properties'), below.get('traits')];
  const propertiesOrTraits = mergeTrees(properties, traits);
  const context = mergeTrees(below.get('context'), { below: new Map([['traits', propertiesOrTraits]]) });
  const freeFormMembers: [string, RuleNode][] = [
    ['properties', propertiesOrTraits],
    ['traits', propertiesOrTraits],
    ['context', context],
  ];
  const members = ['name', 'category', 'groupId'].flatMap((name): [string, RuleNode][] => {
    const node = properties?.below.get(name);
    return node ? [[name, node]] : [];
  });
  return { below: new Map([...freeFormMembers, ...members]) };
}
