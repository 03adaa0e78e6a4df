import { validateSync } from 'class-validator';
import { joinPath, type Report } from './report.js';
import { type FieldSchema, type MessageType } from './schema.js';

/**
 * Reports the rule that each wrong field of a message breaks, by class-validator; slower than the compiled check. When
 * a field is missing, it also names the unknown ones, which may be misspelt.
 */
export function explain(
  type: MessageType,
  fields: Readonly<Record<string, FieldSchema>>,
  body: unknown,
  path: string,
  report: Report,
): void {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    report.refuse(path, `must be an object, not ${describeKind(body)}`);
    return;
  }
  // Copied field by field: a body may have members named `constructor` or `__proto__`.
  const message = new type();
  for (const name in fields) {
    const value: unknown = Object.hasOwn(body, name) ? Reflect.get(body, name) : undefined;
    if (value !== undefined && value !== null) Reflect.set(message, name, value);
  }
  // When a field breaks several rules, the topmost decorator gives the message.
  const errors = validateSync(message, { validationError: { target: false, value: false } });
  const missing: string[] = [];
  for (const { property, constraints = {} } of errors) {
    const rule = Object.values(constraints).at(-1) ?? 'is not valid';
    const value: unknown = Reflect.get(message, property);
    if (value === undefined) missing.push(property);
    report.refuse(joinPath(path, property), describeProblem(rule, value, fields[property]));
  }
  if (missing.length > 0) reportUnknownFields(body, Object.keys(fields), missing, path, report);
}

function describeProblem(rule: string, value: unknown, field: FieldSchema | undefined): string {
  if (value === undefined) return `is missing: ${rule}`;
  const acceptsText = [field?.type].flat().includes('string');
  return acceptsText && typeof value !== 'string' ? `must be text, not ${describeKind(value)}: ${rule}` : rule;
}

function describeKind(value: unknown): string {
  if (value === null || value === undefined) return 'null';
  if (Array.isArray(value)) return 'an array';
  return kinds[typeof value] ?? 'an object';
}

const kinds: Readonly<Record<string, string>> = { string: 'text', number: 'a number', boolean: 'a boolean' };

/** Begins the message about a field that no message has. */
export const unknownField = 'unknown field';
const maxUnknown = 10;

function reportUnknownFields(
  body: object,
  fieldNames: readonly string[],
  missing: readonly string[],
  path: string,
  report: Report,
): void {
  const unknownNames = Object.keys(body).filter((name) => !fieldNames.includes(name));
  for (const name of unknownNames.slice(0, maxUnknown)) {
    const meantField = missing.find((field) => isSpelling(name, field));
    const isList = name === 'list' && !fieldNames.includes(name);
    const hint = meantField === undefined ? (isList && '; only a batch has it') || '' : `; ${meantField} is meant`;
    report.refuse(joinPath(path, name), unknownField + hint);
  }
}

/** Other names under which clients send a field. */
const otherNames: Readonly<Record<string, readonly string[]>> = {
  userId: ['uid', 'id', 'user', 'distinctid', 'customerid'],
  anonymousId: ['anonid', 'deviceid', 'visitorid'],
  event: ['name', 'eventname', 'eventtype', 'action'],
  list: ['batch', 'events', 'messages', 'items', 'data'],
};

/** Whether a name is a field's under another spelling: `user_id`, `USERID` and `uid` for `userId`. */
function isSpelling(name: string, field: string): boolean {
  const plain = name.replaceAll(/[^A-Za-z0-9]/g, '').toLowerCase();
  return plain === field.toLowerCase() || (otherNames[field] ?? []).includes(plain);
}
