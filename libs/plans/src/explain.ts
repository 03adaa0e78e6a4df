import { type FreeForm, isObject } from '@sluice/contracts';
import { ruleBrokenBy } from './fits.js';
import { type ObjectNode, type ValueNode } from './plan-node.js';
import { type ViolationRule, violationText, Violations } from './violations.js';

/** A value that does not fit its plan and is left out. */
export interface DroppedProperty {
  /** The exact path: `items[2].price`. */
  readonly path: string;
  /** The rule and the path as stored: `wrong_type:items[].price`. */
  readonly violation: string;
}

/** Path of a value: exact, and as violations name it. */
interface Place {
  readonly exact: string;
  readonly named: string;
}

const gone = Symbol('left out');
const maxDropped = 1_000;

/** One walk over an object that does not fit: names the violations, and copies what remains. */
export class Explanation {
  readonly violations = new Violations();
  readonly dropped: DroppedProperty[] = [];
  /** The object without the offending values; the object itself when there are none. */
  readonly kept: FreeForm;

  constructor(node: ObjectNode, sent: FreeForm) {
    this.kept = this.object(node, sent, { exact: '', named: '' });
  }

  private object(node: ObjectNode, sent: FreeForm, place: Place): FreeForm {
    let kept: FreeForm | undefined;
    for (const [name, value] of Object.entries(sent)) {
      const left =
        value === null || value === undefined ? value : this.member(node, value, memberOf(place, name), name);
      if (left === value) continue;
      kept ??= copyOf(sent);
      if (left === gone) Reflect.deleteProperty(kept, name);
      else kept[name] = left;
    }
    for (const name of node.required) {
      const value = Object.hasOwn(sent, name) ? sent[name] : undefined;
      if (value === null || value === undefined) this.violations.add('missing', memberOf(place, name).named);
    }
    return kept ?? sent;
  }

  private member(node: ObjectNode, value: unknown, place: Place, name: string): unknown {
    const planned = node.values[node.places.get(name) ?? -1];
    if (planned) return this.value(planned, value, place);
    return node.isClosed ? this.refuse('unknown', place) : value;
  }

  private value(node: ValueNode, value: unknown, place: Place): unknown {
    const rule = ruleBrokenBy(node, value);
    if (rule) return this.refuse(rule, place);
    if (node.object && isObject(value)) return this.object(node.object, value, place);
    return node.items && Array.isArray(value) ? this.array(node.items, value, place) : value;
  }

  /** Offending items are removed, and later ones move up. */
  private array(node: ValueNode, items: readonly unknown[], { exact, named }: Place): unknown {
    const kept = items.map((item, index) =>
      this.value(node, item, { exact: `${exact}[${index}]`, named: `${named}[]` }),
    );
    return kept.every((item, index) => item === items[index]) ? items : kept.filter((item) => item !== gone);
  }

  private refuse(rule: ViolationRule, { exact, named }: Place): typeof gone {
    this.violations.add(rule, named);
    if (this.dropped.length < maxDropped) this.dropped.push({ path: exact, violation: violationText(rule, named) });
    return gone;
  }
}

const memberOf = ({ exact, named }: Place, name: string): Place =>
  exact === '' ? { exact: name, named: name } : { exact: `${exact}.${name}`, named: `${named}.${name}` };

/** Without a prototype, a member named __proto__ is a member like any other. */
const copyOf = (sent: FreeForm): FreeForm => Object.assign(Object.create(null) as FreeForm, sent);
