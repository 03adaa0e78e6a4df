import { isObject } from '@sluice/contracts';
import { joinMemberPath } from '../plan/parse-object.js';
import { type PlanProblem } from '../plan/plan-error.js';

/** A JSON Schema as another service's plan holds it. */
export type ForeignSchema = Readonly<Record<string, unknown>>;

/** Words that say the same in a plan. */
const sameWords = ['description', 'minimum', 'maximum', 'maxLength', 'format', 'required'] as const;
/** Words that check nothing. */
const silentWords = new Set([
  '$schema',
  '$id',
  'id',
  'title',
  'examples',
  'example',
  'default',
  'labels',
  '$comment',
  'metadata',
]);

/**
 * Converts a JSON Schema of an object or a value. What a plan cannot express is a problem, so that nothing is imported
 * that would judge differently. `null` as a type or value vanishes: a member that is null counts as absent.
 */
export function convertSchema(schema: unknown, path: string, problems: PlanProblem[]): Record<string, unknown> {
  if (!isObject(schema)) {
    problems.push({ path, message: 'must be an object' });
    return {};
  }
  const { type, properties, items, enum: values, const: constant, additionalProperties, ...otherWords } = schema;
  const converted: Record<string, unknown> = {
    ...convertType(type, path, problems),
    ...(isObject(properties) && { properties: convertMembers(properties, `${path}.properties`, problems) }),
    ...(isObject(items) && { items: convertSchema(items, `${path}.items`, problems) }),
    ...(Array.isArray(values) && { enum: values.filter((value) => value !== null) }),
    ...(constant !== undefined && { enum: [constant] }),
    ...convertOpenness(schema, additionalProperties, path, problems),
  };
  if (items !== undefined && !isObject(items)) problems.push({ path: `${path}.items`, message: 'must be one schema' });
  return { ...converted, ...convertOtherWords(otherWords, path, problems) };
}

function convertMembers(members: ForeignSchema, path: string, problems: PlanProblem[]): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(members).map(([name, member]) => [
      name,
      convertSchema(member, joinMemberPath(path, name), problems),
    ]),
  );
}

function convertType(type: unknown, path: string, problems: PlanProblem[]): { type?: unknown } {
  if (type === undefined) return {};
  const types: unknown[] = (Array.isArray(type) ? type : [type]).filter(
    (typeName) => typeName !== 'null' && typeName !== 'any',
  );
  if (types.length > 0) return { type: types.length === 1 ? types[0] : types };
  if (type !== 'any') problems.push({ path: `${path}.type`, message: 'is only null, and such a member is not stored' });
  return {};
}

/** JSON Schema is open by default; a plan is closed where it names properties. */
function convertOpenness(
  schema: ForeignSchema,
  value: unknown,
  path: string,
  problems: PlanProblem[],
): { additionalProperties?: boolean } {
  if (isObject(value) && Object.keys(value).length > 0) {
    problems.push({
      path: `${path}.additionalProperties`,
      message: 'a plan allows further properties or not; it has no schema for them',
    });
  }
  if (value === false) return { additionalProperties: false };
  return isObject(schema['properties']) ? { additionalProperties: true } : {};
}

function convertOtherWords(words: ForeignSchema, path: string, problems: PlanProblem[]): Record<string, unknown> {
  const converted: [string, unknown][] = [];
  for (const [word, value] of Object.entries(words)) {
    if (sameWords.some((sameWord) => sameWord === word)) converted.push([word, value]);
    else if (!silentWords.has(word))
      problems.push({ path: `${path}.${word}`, message: 'cannot be expressed in a plan' });
  }
  return Object.fromEntries(
    converted.filter(([word, value]) => !(word === 'required' && Array.isArray(value) && value.length === 0)),
  );
}
