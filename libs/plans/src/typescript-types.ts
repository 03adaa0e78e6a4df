import { isClosed, type ObjectShape, type Plan, type Property, typesOf, type ValueType } from './plan.js';

/**
 * Types of a plan for `createClient<TrackingPlan>` of the Web, Node and React Native SDKs: a misspelt event or property
 * does not compile. The text is a declaration file, so nothing of it is in a bundle.
 */
export function typesOfPlan({ version, sources, description, events, traits }: Plan): string {
  const members = Object.entries(events).map(([name, event]) =>
    memberText(name, event, objectType(event, '  '), true, '  '),
  );
  return [
    `// Tracking plan ${version} of ${sources.join(', ')}, written by \`operator plans types\`. Do not edit.`,
    ...comment(description, ''),
    'export interface TrackingPlan {',
    ...members,
    '}',
    ...(traits ? ['', '/** Traits of identify. */', `export type PlannedTraits = ${objectType(traits, '')};`] : []),
    '',
  ].join('\n');
}

function memberText(
  name: string,
  { description }: ObjectShape,
  type: string,
  isRequired: boolean,
  indent: string,
): string {
  return [
    ...comment(description, indent),
    `${indent}readonly ${nameText(name)}${isRequired ? '' : '?'}: ${type};`,
  ].join('\n');
}

const nameText = (name: string): string => (/^[A-Za-z_$][A-Za-z0-9_$]*$/.test(name) ? name : JSON.stringify(name));

/** A description cannot end the comment that holds it. */
const comment = (text: string | undefined, indent: string): string[] =>
  text === undefined ? [] : [`${indent}/** ${text.replaceAll('*/', '*\\/').replace(/\s+/g, ' ')} */`];

function objectType(shape: ObjectShape, indent: string): string {
  const { properties, required = [] } = shape;
  if (properties === undefined)
    return isClosed(shape) ? 'Readonly<Record<string, undefined>>' : 'Readonly<Record<string, unknown>>';
  const inner = `${indent}  `;
  const members = Object.entries(properties).map(([name, property]) =>
    memberText(name, property, optionalType(property, required.includes(name), inner), required.includes(name), inner),
  );
  const open = isClosed(shape) ? [] : [`${inner}readonly [name: string]: unknown;`];
  if (members.length + open.length === 0) return 'Readonly<Record<string, undefined>>';
  return ['{', ...members, ...open, `${indent}}`].join('\n');
}

/** A member that may be absent may also be null or undefined: neither is stored. */
const optionalType = (property: Property, isRequired: boolean, indent: string): string =>
  isRequired ? valueType(property, indent) : `${valueType(property, indent)} | null | undefined`;

function valueType(property: Property, indent: string): string {
  if (property.enum) return property.enum.map((one) => JSON.stringify(one)).join(' | ');
  const types = typesOf(property);
  if (types.length === 0) return 'unknown';
  return [...new Set(types.map((type) => typeText(type, property, indent)))].join(' | ');
}

function typeText(type: ValueType, property: Property, indent: string): string {
  switch (type) {
    case 'integer':
      return 'number';
    case 'object':
      return objectType(property, indent);
    case 'array':
      return property.items ? `readonly (${valueType(property.items, indent)})[]` : 'readonly unknown[]';
    default:
      return type;
  }
}
