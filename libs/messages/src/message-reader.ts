import { type FreeForm, isObject, type MemberNames } from '@sluice/contracts';
import { compileSchema } from './compile-schema.js';
import { explain, unknownField } from './explain.js';
import { outOfRange } from './conflicts.js';
import { copyMembersBefore, keepStorable } from './free-form.js';
import { hashName } from './names/name-hash.js';
import { joinPath, type Report } from './report.js';
import { type FieldSchema, type MessageSchema, type MessageType, buildMessageSchema } from './schema.js';

interface Field {
  /** Rule of the names in a free-form object; undefined for other fields. */
  names: MemberNames | undefined;
  /** Hash of the field's name. */
  hash: number;
}

/**
 * Reads messages of one type. A compiled validator accepts them. Only a body that it refuses goes through
 * class-validator, which explains the problems. Both come from the same decorators.
 */
export class MessageReader<T extends object> {
  private readonly accepts: (body: unknown) => boolean;
  private readonly fields: ReadonlyMap<string, Field>;
  private readonly schemas: Readonly<Record<string, FieldSchema>>;

  constructor(private readonly type: MessageType<T>) {
    const schema = buildMessageSchema(type);
    this.schemas = schema.properties;
    this.accepts = compileSchema(schema);
    this.fields = readFields(schema);
  }

  /**
   * Returns the message: the sent object itself when all of it is stored, else a copy without nulls and without the
   * dropped values, which the report names. Returns undefined when the message is refused; the report says why.
   */
  read(body: unknown, path: string, report: Report): T | undefined {
    if (!this.accepts(body)) {
      explain(this.type, this.schemas, body, path, report);
      this.explainNames(body, path, report);
      // Both validators agree (message-reader.spec.ts); should they ever differ, the message is refused.
      if (report.problems.length === 0) report.refuse(path, 'is not valid');
      return undefined;
    }

    const sent = body as Readonly<Record<string, unknown>>;
    let message: Record<string, unknown> | undefined;
    for (const name in sent) {
      const value = sent[name];
      const storedValue = this.shapeField(name, value, path, report);
      if (message === undefined) {
        if (storedValue === value) continue;
        message = copyMembersBefore(name, sent);
      }
      if (storedValue !== outOfRange) message[name] = storedValue;
    }
    return report.problems.length > 0 ? undefined : ((message ?? sent) as T);
  }

  /** Reports bad names in free-form objects as well, so that one answer has all problems. */
  private explainNames(body: unknown, path: string, report: Report): void {
    if (!isObject(body)) return;
    for (const [field, { names, hash }] of this.fields) {
      const value = Object.hasOwn(body, field) ? body[field] : undefined;
      if (names && isObject(value)) keepStorable(value, joinPath(path, field), names, report, hash);
    }
  }

  /** Returns the value to store for a member; `outOfRange` when nothing is stored. */
  private shapeField(name: string, value: unknown, path: string, report: Report): unknown {
    const field = this.fields.get(name);
    if (!field) {
      report.drop(joinPath(path, name), unknownField);
      return outOfRange;
    }
    if (value === null) return outOfRange;
    return field.names ? keepStorable(value as FreeForm, joinPath(path, name), field.names, report, field.hash) : value;
  }
}

const readFields = ({ properties }: MessageSchema): Map<string, Field> =>
  new Map(
    Object.entries<FieldSchema>(properties).map(([name, field]) => [
      name,
      { names: field['x-names'], hash: hashName(name) },
    ]),
  );
