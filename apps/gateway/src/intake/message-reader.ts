import { type FreeForm, type MemberNames } from '@sluice/contracts';
import { accepting } from './accepting.js';
import { explain } from './explain.js';
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
    if (!this.accepts(body)) {
      explain(this.type, [...this.known], body, path, report);
      // The two agree (message-reader.spec.ts); if ever they do not, nothing gets in.
      if (report.problems.length === 0) report.refuse(path, 'is not valid');
      return undefined;
    }

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
}

const fieldsOf = ({ properties }: MessageSchema): Field[] =>
  Object.entries<FieldSchema>(properties).map(([name, field]) => ({ name, names: field['x-names'] }));
