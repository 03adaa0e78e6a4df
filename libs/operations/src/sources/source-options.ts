import {
  type FieldRule,
  fieldRules,
  type FieldRuleSet,
  isFieldPath,
  isFieldRule,
  isPurpose,
  maxFieldRules,
} from '@sluice/contracts';
import { maxOrigins, parseOrigin, type SourceType, sourceTypes } from '@sluice/sources';
import { OperationError } from '../operation-error.js';

const maxNameLength = 100;

/** @throws OperationError unless the name has 1 to 100 printable characters. */
export function parseName(text: string): string {
  const name = text.trim();
  if (name === '') throw new OperationError('the name must not be blank');
  if (Array.from(name).length > maxNameLength)
    throw new OperationError(`the name must have at most ${maxNameLength} characters`);
  // Control characters in a list of sources would control the terminal.
  if (/\p{Cc}/u.test(name) || !name.isWellFormed())
    throw new OperationError('the name must not have control characters');
  return name;
}

/** @throws OperationError that lists the allowed types. */
export function parseType(text: string): SourceType {
  const type = sourceTypes.find((sourceType) => sourceType === text);
  if (type === undefined) throw new OperationError(`--type must be one of ${sourceTypes.join(', ')}; it is '${text}'`);
  return type;
}

/** Parses origins separated by commas, or `any`. @throws OperationError that names a malformed origin. */
export function parseOrigins(text: string): string[] | 'any' {
  if (text.trim() === 'any') return 'any';
  const origins = text.split(',').map((part) => {
    const origin = parseOrigin(part.trim());
    if (origin !== undefined) return origin;
    throw new OperationError(
      `'${part.trim()}' is not an origin such as https://shop.example or https://*.shop.example`,
    );
  });
  const distinctOrigins = [...new Set(origins)];
  if (distinctOrigins.length > maxOrigins) throw new OperationError(`there can be at most ${maxOrigins} origins`);
  return distinctOrigins;
}

/** @throws OperationError unless the text is `keep` or `drop`. */
export function parseUserAgentRule(text: string): 'keep' | 'drop' {
  if (text === 'keep' || text === 'drop') return text;
  throw new OperationError(`the user agent must be keep or drop; it is '${text}'`);
}

/** @throws OperationError */
export function parseSwitch(option: string, text: string): 'on' | 'off' {
  if (text === 'on' || text === 'off') return text;
  throw new OperationError(`${option} must be on or off; it is '${text}'`);
}

/** @throws OperationError unless the text is `none` or a number of at least `min`. */
export function parseLimit(
  option: string,
  text: string,
  { min, isWhole = false }: { min: number; isWhole?: boolean },
): number | 'none' {
  if (text === 'none') return text;
  const limit = /^\d+(\.\d{1,3})?$/.test(text) ? Number(text) : NaN;
  const isAllowed = limit >= min && limit <= Number.MAX_SAFE_INTEGER && (!isWhole || Number.isInteger(limit));
  if (isAllowed) return limit;
  throw new OperationError(`${option} must be none or a ${isWhole ? 'whole ' : ''}number from ${min}; it is '${text}'`);
}

/** Parses a rule such as `context.ip=truncate`; `none` removes the rule of a path. @throws OperationError */
export function parseFieldRule(text: string): [path: string, rule: FieldRule | 'none'] {
  const separator = text.lastIndexOf('=');
  const [path, rule] = [text.slice(0, Math.max(separator, 0)), text.slice(separator + 1)];
  if (!isFieldPath(path))
    throw new OperationError(
      `'${text}' does not begin with a field such as context.ip, traits.email or properties.card`,
    );
  if (rule === 'none' || isFieldRule(rule)) return [path, rule];
  throw new OperationError(`the rule of ${path} must be ${fieldRules.join(', ')} or none; it is '${rule}'`);
}

/** The present rules with changes. @throws OperationError when there are too many */
export function mergeRules(
  present: FieldRuleSet | undefined,
  changes: Readonly<Record<string, FieldRule | 'none'>>,
): FieldRuleSet {
  const merged = Object.entries({ ...present, ...changes }).filter(([, rule]) => rule !== 'none');
  if (merged.length > maxFieldRules) throw new OperationError(`there can be at most ${maxFieldRules} rules`);
  return Object.fromEntries(merged) as FieldRuleSet;
}

/**
 * The id of the key, if one of the rules hashes: a gateway hashes with no other key.
 * @throws OperationError when a rule hashes and there is no key: gateways would drop the values.
 */
export function requireHashKey(
  rules: Readonly<Record<string, FieldRule | 'none'>>,
  key: { readonly id: string } | undefined,
): { piiKeyId?: string } {
  if (!Object.values(rules).includes('hash')) return {};
  if (key) return { piiKeyId: key.id };
  throw new OperationError('a rule hash needs PRIVACY_KEY, here and on every gateway; docs/privacy.md says how');
}

/** Parses the purpose that messages must grant; `none` for no such requirement. @throws OperationError */
export function parsePurpose(text: string): string {
  const purpose = text.trim();
  if (isPurpose(purpose)) return purpose;
  throw new OperationError('the purpose must have 1 to 64 printable characters');
}
