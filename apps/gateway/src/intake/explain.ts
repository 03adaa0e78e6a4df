import { validateSync } from 'class-validator';
import { join, type Report } from './report.js';
import { type MessageType } from './schema.js';

/** Says of every field of a message which rule it breaks, by class-validator; costs more than accepting does. */
export function explain(
  type: MessageType,
  fields: readonly string[],
  body: unknown,
  path: string,
  report: Report,
): void {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    report.refuse(path, 'must be an object');
    return;
  }
  // Field by field: a body may carry members named `constructor` or `__proto__`.
  const message = new type();
  for (const name of fields) {
    const value: unknown = Object.hasOwn(body, name) ? Reflect.get(body, name) : undefined;
    if (value !== undefined && value !== null) Reflect.set(message, name, value);
  }
  // Of several broken rules of a field the topmost decorator explains.
  const errors = validateSync(message, { validationError: { target: false, value: false } });
  for (const { property, constraints = {} } of errors) {
    report.refuse(join(path, property), Object.values(constraints).at(-1) ?? 'is not valid');
  }
}
