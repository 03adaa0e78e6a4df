import { isObject } from '@sluice/contracts';
import { type PlanProblem } from './plan-error.js';

export type Members = Readonly<Record<string, unknown>>;

/** Reads one object of a plan, member by member, and collects what is wrong with it. */
export class ObjectReader {
  private readonly namesRead = new Set<string>();

  private constructor(
    private readonly members: Members,
    readonly path: string,
    private readonly problems: PlanProblem[],
  ) {}

  /** If the value is not an object, adds a problem and returns undefined. */
  static open(value: unknown, path: string, problems: PlanProblem[]): ObjectReader | undefined {
    if (isObject(value)) return new ObjectReader(value, path, problems);
    problems.push({ path, message: 'must be an object' });
    return undefined;
  }

  has(name: string): boolean {
    return Object.hasOwn(this.members, name) && this.members[name] !== undefined;
  }

  /** The member; undefined if it is absent or wrong. A wrong one is a problem, whose message names `mustBe`. */
  take<T>(name: string, isRight: (value: unknown) => value is T, mustBe: string): T | undefined {
    const value = this.raw(name);
    if (value === undefined || isRight(value)) return value;
    this.refuse(name, `must be ${mustBe}`);
    return undefined;
  }

  /** The member as it is. */
  raw(name: string): unknown {
    if (!this.has(name)) return undefined;
    this.namesRead.add(name);
    return this.members[name];
  }

  refuse(name: string, message: string): void {
    this.problems.push({ path: joinMemberPath(this.path, name), message });
  }

  /** Refuses members that were not read. */
  end(): void {
    for (const name of Object.keys(this.members)) {
      if (this.has(name) && !this.namesRead.has(name))
        this.refuse(name, unknownMessages.get(name) ?? 'is not a member of a plan');
    }
  }
}

/** Joins names to a path. A name that a path cannot show as it is stands in brackets. */
export const joinMemberPath = (path: string, name: string): string => {
  if (!/^[A-Za-z0-9_$-]+$/.test(name)) return `${path}[${JSON.stringify(name)}]`;
  return path === '' ? name : `${path}.${name}`;
};

const unknownMessages = new Map([
  ['$ref', 'a plan has no references: write the properties out'],
  ['$data', 'a plan has no references: write the value out'],
  ['pattern', 'a plan has no regular expressions: use enum, maxLength or format'],
  ['patternProperties', 'a plan has no regular expressions: name the properties'],
]);
