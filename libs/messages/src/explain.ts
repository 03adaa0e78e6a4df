import { validateSync } from 'class-validator';
import { join, type Report } from './report.js';
import { type MessageType } from './schema.js';

/** Reports the rule that each wrong field of a message breaks, by class-validator; slower than the compiled check. */
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
  // Copied field by field: a body may have members named `constructor` or `__proto__`.
  const message = new type();
  for (const name of fields) {
    const value: unknown = Object.hasOwn(body, name) ? Reflect.get(body, name) : undefined;
    if (value !== undefined && value !== null) Reflect.set(message, name, value);
  }
  // When a field breaks several rules, the topmost decorator gives the message.
  const errors = validateSync(message, { validationError: { target: false, value: false } });
  for (const { property, constraints = {} } of errors) {
    report.refuse(join(path, property), Object.values(constraints).at(-1) ?? 'is not valid');
  }
}
