import { type FieldRule, type FieldRuleSet } from '@sluice/contracts';

/** The rule of a path, and the rules of paths below it. */
export interface RuleNode {
  readonly rule?: FieldRule | undefined;
  readonly below: ReadonlyMap<string, RuleNode>;
}

interface GrowingNode extends RuleNode {
  rule?: FieldRule | undefined;
  readonly below: Map<string, GrowingNode>;
}

/** From the mildest to the strictest; where two rules meet, the stricter one holds. */
const byStrictness: readonly (FieldRule | undefined)[] = [undefined, 'truncate', 'hash', 'drop'];

const noRules: RuleNode = { below: new Map() };

/** Makes a tree of the names in the paths. */
export function ruleTree(rules: FieldRuleSet): RuleNode {
  const root: GrowingNode = { below: new Map() };
  for (const [path, rule] of Object.entries(rules)) {
    let node = root;
    for (const name of path.split('.')) {
      const next: GrowingNode = node.below.get(name) ?? { below: new Map() };
      node.below.set(name, next);
      node = next;
    }
    node.rule = rule;
  }
  return root;
}

/** A tree with the rules of all trees. */
export function mergeTrees(...trees: readonly (RuleNode | undefined)[]): RuleNode {
  const present = trees.filter((tree) => tree !== undefined);
  const [only = noRules] = present;
  if (present.length <= 1) return only;
  const rule = present
    .map((tree) => tree.rule)
    .reduce((strictest, next) => (byStrictness.indexOf(next) > byStrictness.indexOf(strictest) ? next : strictest));
  const names = new Set(present.flatMap(({ below }) => [...below.keys()]));
  return {
    rule,
    below: new Map(Array.from(names, (name) => [name, mergeTrees(...present.map((t) => t.below.get(name)))])),
  };
}
