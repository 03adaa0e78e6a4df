import { isClosed, type ObjectShape, type Plan, type Property, allowedTypes, type ValueType } from './plan.js';

/**
 * Types of a plan for `createClient<TrackingPlan>` of the Web, Node and React Native SDKs: a misspelt event or property
 * does not compile. The text is a declaration file, so nothing of it is in a bundle.
 */
export function formatPlanTypes({ version, sources, description, events, traits }: Plan): string {
  const members = Object.entries(events).map(([name, event]) =>
    formatMember(name, event, formatObjectType(event, '  '), true, '  '),
  );
  return [
    `// Tracking plan ${version} of ${sources.join(', ')}, written by \`operator plans types\`. Do not edit.`,
    ...formatComment(description, ''),
    'export interface TrackingPlan {',
    ...members,
    '}',
    ...(traits
      ? ['', '/** Traits of identify. */', `export type PlannedTraits = ${formatObjectType(traits, '')};`]
      : []),
    '',
  ].join('\n');
}

function formatMember(
  name: string,
  { description }: ObjectShape,
  type: string,
  isRequired: boolean,
  indent: string,
): string {
  return [
    ...formatComment(description, indent),
    `${indent}readonly ${formatName(name)}${isRequired ? '' : '?'}: ${type};`,
  ].join('\n');
}

const formatName = (name: string): string => (/^[A-Za-z_$][A-Za-z0-9_$]*$/.test(name) ? name : JSON.stringify(name));

/** A description cannot end the comment that holds it. */
const formatComment = (text: string | undefined, indent: string): string[] =>
  text === undefined ? [] : [`${indent}/** ${text.replaceAll('*/', '*\\/').replace(/\s+/g, ' ')} */`];

function formatObjectType(shape: ObjectShape, indent: string): string {
  const { properties, required = [] } = shape;
  if (properties === undefined)
    return isClosed(shape) ? 'Readonly<Record<string, undefined>>' : 'Readonly<Record<string, unknown>>';
  const inner = `${indent}  `;
  const members = Object.entries(properties).map(([name, property]) =>
    formatMember(
      name,
      property,
      formatOptionalType(property, required.includes(name), inner),
      required.includes(name),
      inner,
    ),
  );
  const open = isClosed(shape) ? [] : [`${inner}readonly [name: string]: unknown;`];
  if (members.length + open.length === 0) return 'Readonly<Record<string, undefined>>';
  return ['{', ...members, ...open, `${indent}}`].join('\n');
}

/** A member that may be absent may also be null or undefined: neither is stored. */
const formatOptionalType = (property: Property, isRequired: boolean, indent: string): string =>
  isRequired ? formatValueType(property, indent) : `${formatValueType(property, indent)} | null | undefined`;

function formatValueType(property: Property, indent: string): string {
  if (property.enum) return property.enum.map((constant) => JSON.stringify(constant)).join(' | ');
  const types = allowedTypes(property);
  if (types.length === 0) return 'unknown';
  return [...new Set(types.map((type) => formatType(type, property, indent)))].join(' | ');
}

function formatType(type: ValueType, property: Property, indent: string): string {
  switch (type) {
    case 'integer':
      return 'number';
    case 'object':
      return formatObjectType(property, indent);
    case 'array':
      return property.items ? `readonly (${formatValueType(property.items, indent)})[]` : 'readonly unknown[]';
    default:
      return type;
  }
}
