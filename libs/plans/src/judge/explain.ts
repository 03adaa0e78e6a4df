import { type FreeForm, isObject } from '@sluice/contracts';
import { findBrokenRule } from './fits.js';
import { type ObjectNode, type ValueNode } from './plan-node.js';
import { type ViolationRule, formatViolation, Violations } from './violations.js';

/** A value that does not fit its plan and is left out. */
export interface DroppedProperty {
  /** The exact path: `items[2].price`. */
  readonly path: string;
  /** The rule and the path as stored: `wrong_type:items[].price`. */
  readonly violation: string;
}

/** Path of a value: `items[2].price` exactly, and `items[].price` as violations name it. */
interface ValuePath {
  readonly exact: string;
  readonly generic: string;
}

const leftOutMarker = Symbol('left out');
const maxDropped = 1_000;

/** One walk over an object that does not fit: names the violations, and copies what remains. */
export class PlanExplanation {
  readonly violations = new Violations();
  readonly dropped: DroppedProperty[] = [];
  /** The object without the offending values; the object itself when there are none. */
  readonly remaining: FreeForm;

  constructor(node: ObjectNode, sent: FreeForm) {
    this.remaining = this.walkObject(node, sent, { exact: '', generic: '' });
  }

  private walkObject(node: ObjectNode, sent: FreeForm, path: ValuePath): FreeForm {
    let copy: FreeForm | undefined;
    for (const [name, value] of Object.entries(sent)) {
      const remaining =
        value === null || value === undefined ? value : this.walkMember(node, value, memberPath(path, name), name);
      if (remaining === value) continue;
      copy ??= copyObject(sent);
      if (remaining === leftOutMarker) Reflect.deleteProperty(copy, name);
      else copy[name] = remaining;
    }
    for (const name of node.required) {
      const value = Object.hasOwn(sent, name) ? sent[name] : undefined;
      if (value === null || value === undefined) this.violations.add('missing', memberPath(path, name).generic);
    }
    return copy ?? sent;
  }

  private walkMember(node: ObjectNode, value: unknown, path: ValuePath, name: string): unknown {
    const planned = node.values[node.indexes.get(name) ?? -1];
    if (planned) return this.walkValue(planned, value, path);
    return node.isClosed ? this.refuse('unknown', path) : value;
  }

  private walkValue(node: ValueNode, value: unknown, path: ValuePath): unknown {
    const rule = findBrokenRule(node, value);
    if (rule) return this.refuse(rule, path);
    if (node.object && isObject(value)) return this.walkObject(node.object, value, path);
    return node.items && Array.isArray(value) ? this.walkItems(node.items, value, path) : value;
  }

  /** Offending items are removed, and later ones move up. */
  private walkItems(node: ValueNode, items: readonly unknown[], { exact, generic }: ValuePath): unknown {
    const remaining = items.map((item, index) =>
      this.walkValue(node, item, { exact: `${exact}[${index}]`, generic: `${generic}[]` }),
    );
    return remaining.every((item, index) => item === items[index])
      ? items
      : remaining.filter((item) => item !== leftOutMarker);
  }

  private refuse(rule: ViolationRule, { exact, generic }: ValuePath): typeof leftOutMarker {
    this.violations.add(rule, generic);
    if (this.dropped.length < maxDropped) this.dropped.push({ path: exact, violation: formatViolation(rule, generic) });
    return leftOutMarker;
  }
}

const memberPath = ({ exact, generic }: ValuePath, name: string): ValuePath =>
  exact === '' ? { exact: name, generic: name } : { exact: `${exact}.${name}`, generic: `${generic}.${name}` };

/** Without a prototype, a member named __proto__ is a member like any other. */
const copyObject = (sent: FreeForm): FreeForm => Object.assign(Object.create(null) as FreeForm, sent);
