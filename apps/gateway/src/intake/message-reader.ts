import { type FreeForm, type MemberNames } from '@sluice/contracts';
import { validateSync } from 'class-validator';
import { accepting } from './accepting.js';
import { shape } from './free-form.js';
import { join, type Report } from './report.js';
import { type FieldSchema, type MessageSchema, type MessageType, schemaOf } from './schema.js';

interface Field {
  name: string;
  /** Of a free-form object, the rule of its names. */
  names: MemberNames | undefined;
}

/**
 * Reads messages of one type. A compiled validator accepts; only a body that it refuses goes through class-validator,
 * which explains. Both come from the same decorators.
 */
export class MessageReader<T extends object> {
  private readonly accepts: (body: unknown) => boolean;
  private readonly fields: readonly Field[];
  private readonly known: ReadonlySet<string>;

  constructor(private readonly type: MessageType<T>) {
    const schema = schemaOf(type);
    this.accepts = accepting(schema);
    this.fields = fieldsOf(schema);
    this.known = new Set(this.fields.map(({ name }) => name));
  }

  /** The message without what the report says is dropped, or undefined when the report says why it is refused. */
  read(body: unknown, path: string, report: Report): T | undefined {
    if (!this.accepts(body)) this.explain(body, path, report);
    if (report.problems.length > 0) return undefined;

    const message = new this.type() as Record<string, unknown>;
    const sent = body as Readonly<Record<string, unknown>>;
    for (const { name, names } of this.fields) {
      const value = sent[name];
      if (value === undefined || value === null) continue;
      message[name] = names ? shape(value as FreeForm, join(path, name), names, report) : value;
    }
    for (const name of Object.keys(sent)) {
      if (!this.known.has(name)) report.drop(join(path, name), 'unknown field');
    }
    return report.problems.length > 0 ? undefined : (message as T);
  }

  private explain(body: unknown, path: string, report: Report): void {
    if (typeof body !== 'object' || body === null || Array.isArray(body)) {
      report.refuse(path, 'must be an object');
      return;
    }
    // Field by field: a body may carry members named `constructor` or `__proto__`.
    const message = new this.type();
    for (const { name } of this.fields) {
      const value: unknown = Object.hasOwn(body, name) ? Reflect.get(body, name) : undefined;
      if (value !== undefined && value !== null) Reflect.set(message, name, value);
    }
    // Of several broken rules of a field the topmost decorator explains.
    const errors = validateSync(message, { validationError: { target: false, value: false } });
    for (const { property, constraints = {} } of errors) {
      report.refuse(join(path, property), Object.values(constraints).at(-1) ?? 'is not valid');
    }
  }
}

const fieldsOf = ({ properties }: MessageSchema): Field[] =>
  Object.entries<FieldSchema>(properties).map(([name, field]) => ({ name, names: field['x-names'] }));
