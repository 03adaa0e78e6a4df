import { isObject } from '@sluice/contracts';
import { parsePlan } from '../plan/parse-plan.js';
import { type Plan } from '../plan/plan.js';
import { PlanError, type PlanProblem } from '../plan/plan-error.js';
import { convertSchema } from './foreign-schema.js';

/** Services whose tracking plans can be imported. */
export const foreignForms = ['segment', 'rudderstack'] as const;
export type ForeignForm = (typeof foreignForms)[number];

/** One rule of another service's plan: the schema of one event, or of identify. */
interface ForeignRule {
  /** Place in the file. */
  readonly path: string;
  readonly kind: 'track' | 'identify' | 'other';
  readonly name: string;
  readonly description: unknown;
  /** Schema of the whole message. */
  readonly schema: unknown;
}

/** Version and sources of the converted plan, which a foreign plan does not have in our terms. */
export interface ForeignTarget {
  readonly version: number;
  readonly sources: readonly string[];
  /** Writes `Order Completed` as `order_completed`: names of events have no spaces here. */
  readonly snakeCase?: boolean;
}

/** Lists that a file of another form lacks, in words. */
const missingParts: Record<ForeignForm, string> = {
  segment: "it has no list 'rules' (below 'data' or not), and no list 'rules.events'",
  rudderstack: "it has no list 'events'",
};

/** @throws PlanError that names everything that a plan of Sluice cannot express. */
export function convertPlan(form: ForeignForm, value: unknown, target: ForeignTarget): Plan {
  const problems: PlanProblem[] = [];
  const rules = form === 'segment' ? segmentRules(value) : rudderstackRules(value);
  if (rules === undefined)
    throw new PlanError([
      { path: '', message: `does not look like a tracking plan of ${form}: ${missingParts[form]}` },
    ]);
  const events = new Map<string, unknown>();
  let traits: unknown;
  for (const rule of rules) {
    if (rule.kind === 'track') addEvent(events, rule, target, problems);
    else if (rule.kind === 'identify') traits = convertSection(rule, 'traits', problems);
    else problems.push({ path: rule.path, message: `${rule.name}: only track and identify are planned` });
  }
  if (problems.length > 0) throw new PlanError(problems);
  const { version, sources } = target;
  return parsePlan({ version, sources, events: Object.fromEntries(events), ...(traits !== undefined && { traits }) });
}

function addEvent(
  events: Map<string, unknown>,
  rule: ForeignRule,
  target: ForeignTarget,
  problems: PlanProblem[],
): void {
  const name = target.snakeCase === true ? snakeCase(rule.name) : rule.name;
  if (!/^[a-zA-Z0-9_\-.]{1,64}$/.test(name)) {
    const message = `the event ${JSON.stringify(rule.name)} has a name that no message can have; --snake-case renames`;
    problems.push({ path: rule.path, message });
  }
  if (events.has(name))
    problems.push({ path: rule.path, message: `the event ${name} comes twice; a plan has one shape of each` });
  const shape = convertSection(rule, 'properties', problems);
  events.set(name, {
    ...(typeof rule.description === 'string' && rule.description !== '' && { description: rule.description }),
    ...shape,
  });
}

const snakeCase = (name: string): string =>
  name
    .trim()
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/[^A-Za-z0-9_\-.]+/g, '_')
    .toLowerCase();

/** The part of a message's schema that a plan covers: `properties` of track, `traits` of identify. */
function convertSection(
  { schema, path }: ForeignRule,
  section: string,
  problems: PlanProblem[],
): Record<string, unknown> {
  const parts = isObject(schema) && isObject(schema['properties']) ? schema['properties'] : {};
  for (const [name, part] of Object.entries(parts)) {
    const isEmpty = !isObject(part) || Object.keys(part).every((word) => word === 'type' || word === 'description');
    if (name !== section && !isEmpty)
      problems.push({ path: `${path}.${name}`, message: 'a plan has no rules for this part of a message' });
  }
  if (parts[section] === undefined) return {};
  const { type, ...shape } = convertSchema(parts[section], `${path}.${section}`, problems);
  if (type !== undefined && type !== 'object')
    problems.push({ path: `${path}.${section}.type`, message: 'must be object' });
  return shape;
}

/** Segment's public API (`rules` is a list) and its older form (`rules.events`). */
function segmentRules(value: unknown): ForeignRule[] | undefined {
  const root = isObject(value) && isObject(value['data']) ? value['data'] : value;
  const rules = isObject(root) ? root['rules'] : undefined;
  if (Array.isArray(rules)) return rules.map((rule, index) => publicRule(rule, `rules[${index}]`));
  if (!isObject(rules) || !Array.isArray(rules['events'])) return undefined;
  const events = rules['events'].map((rule, index) => olderRule(rule, `rules.events[${index}]`));
  const otherRules = Object.entries(rules).filter(
    ([name, rule]) =>
      name !== 'events' &&
      isObject(rule) &&
      isObject(rule['properties']) &&
      Object.values(rule['properties']).some(hasRules),
  );
  return [
    ...events,
    ...otherRules.map(([name, schema]) => ({
      path: `rules.${name}`,
      kind: name === 'identify' ? ('identify' as const) : ('other' as const),
      name,
      description: undefined,
      schema,
    })),
  ];
}

const hasRules = (part: unknown): boolean =>
  isObject(part) && (isObject(part['properties']) ? Object.keys(part['properties']).length > 0 : false);

function publicRule(rule: unknown, path: string): ForeignRule {
  const { type, key, jsonSchema } = isObject(rule) ? rule : {};
  const description = isObject(jsonSchema) ? jsonSchema['description'] : undefined;
  return { path, kind: parseKind(type), name: toText(key ?? type), description, schema: jsonSchema };
}

function olderRule(rule: unknown, path: string): ForeignRule {
  const { name, description, rules } = isObject(rule) ? rule : {};
  return { path, kind: 'track', name: toText(name), description, schema: rules };
}

/** `events`, each with `eventType`, `name` and `rules`. */
function rudderstackRules(value: unknown): ForeignRule[] | undefined {
  const events = isObject(value) ? value['events'] : undefined;
  if (!Array.isArray(events)) return undefined;
  return events.map((event, index) => {
    const { name, description, eventType = 'track', rules } = isObject(event) ? event : {};
    return {
      path: `events[${index}]`,
      kind: parseKind(eventType),
      name: toText(name ?? eventType),
      description,
      schema: rules,
    };
  });
}

function parseKind(type: unknown): ForeignRule['kind'] {
  const text = toText(type).toLowerCase();
  return text === 'track' || text === 'identify' ? text : 'other';
}

const toText = (value: unknown): string => (typeof value === 'string' ? value : '');
