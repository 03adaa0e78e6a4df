import { type FieldRule, type FieldRuleSet } from '@sluice/contracts';

/** The rule of a path, and the rules of paths below it. */
export interface RuleNode {
  readonly rule?: FieldRule | undefined;
  readonly below: ReadonlyMap<string, RuleNode>;
}

interface Growing extends RuleNode {
  rule?: FieldRule | undefined;
  readonly below: Map<string, Growing>;
}

/** From the mildest to the strictest; where two rules meet, the stricter one holds. */
const byStrictness: readonly (FieldRule | undefined)[] = [undefined, 'truncate', 'hash', 'drop'];

const nothing: RuleNode = { below: new Map() };

/** Makes a tree of the names in the paths. */
export function ruleTree(rules: FieldRuleSet): RuleNode {
  const root: Growing = { below: new Map() };
  for (const [path, rule] of Object.entries(rules)) {
    let node = root;
    for (const name of path.split('.')) {
      const next: Growing = node.below.get(name) ?? { below: new Map() };
      node.below.set(name, next);
      node = next;
    }
    node.rule = rule;
  }
  return root;
}

/** A tree with the rules of all trees. */
export function merged(...trees: readonly (RuleNode | undefined)[]): RuleNode {
  const present = trees.filter((tree) => tree !== undefined);
  const [only = nothing] = present;
  if (present.length <= 1) return only;
  const rule = present
    .map((tree) => tree.rule)
    .reduce((one, other) => (byStrictness.indexOf(other) > byStrictness.indexOf(one) ? other : one));
  const names = new Set(present.flatMap(({ below }) => [...below.keys()]));
  return {
    rule,
    below: new Map(Array.from(names, (name) => [name, merged(...present.map((t) => t.below.get(name)))])),
  };
}
