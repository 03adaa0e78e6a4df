import { getMetadataStorage, validateSync } from 'class-validator';
import { invalidFields, type Problem } from '../errors/api-error.js';

/** A DTO class of the contracts; its decorators are the rules. */
export type MessageType<T extends object> = new () => T;

/**
 * The body as a message of the type, its known fields only.
 * @throws ApiError 400 with one entry per problem.
 */
export function validated<T extends object>(type: MessageType<T>, body: unknown): T {
  const { message, problems } = check(type, body, '');
  if (problems.length > 0) throw invalidFields(problems);
  return message;
}

/**
 * The items of a batch as messages of the type. A batch with a bad item is refused whole, naming every bad item.
 * @throws ApiError 400 with one entry per problem, fields as `list[3].userId`.
 */
export function validatedItems<T extends object>(type: MessageType<T>, items: readonly unknown[]): T[] {
  const checked = items.map((item, index) => check(type, item, `list[${index}]`));
  const problems = checked.flatMap((item) => item.problems);
  if (problems.length > 0) throw invalidFields(problems);
  return checked.map(({ message }) => message);
}

function check<T extends object>(
  type: MessageType<T>,
  body: unknown,
  path: string,
): { message: T; problems: Problem[] } {
  const message = new type();
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    return { message, problems: [{ field: path, message: 'must be an object' }] };
  }
  // Field by field: a body may carry members named `constructor` or `__proto__`.
  for (const field of fieldsOf(type)) {
    const value: unknown = Object.hasOwn(body, field) ? Reflect.get(body, field) : undefined;
    if (value !== undefined && value !== null) Reflect.set(message, field, value);
  }
  const errors = validateSync(message, { validationError: { target: false, value: false } });
  const problems = errors.map(({ property, constraints = {} }) => ({
    field: path ? `${path}.${property}` : property,
    message: Object.values(constraints)[0] ?? 'is not valid',
  }));
  return { message, problems };
}

const knownFields = new Map<MessageType<object>, readonly string[]>();

/** The fields of a message, from the decorators of its class. */
function fieldsOf(type: MessageType<object>): readonly string[] {
  const known = knownFields.get(type);
  if (known) return known;
  const metadata = getMetadataStorage().getTargetValidationMetadatas(type, '', false, false);
  const fields = [...new Set(metadata.map(({ propertyName }) => propertyName))];
  knownFields.set(type, fields);
  return fields;
}
