import { registerDecorator } from 'class-validator';

/** JSON Schema keywords that say the same as a rule's test. */
export type Keywords = Readonly<Record<string, unknown>>;

/** What a value of a field must be, once as code, once as JSON Schema, once in words. */
export interface Rule {
  /** None of class-validator's own: class-validator-jsonschema would put its own schema in the place of ours. */
  name: string;
  test: (value: unknown) => boolean;
  schema: Keywords;
  /** Completes "<field> must be …". */
  mustBe: string;
}

/** Makes a class-validator decorator of a rule; its schema lies in the metadata, for the compiled validator and OpenAPI. */
export const decorator =
  ({ name, test, schema, mustBe }: Rule): PropertyDecorator =>
  (target, property) => {
    registerDecorator({
      name,
      target: target.constructor,
      propertyName: String(property),
      options: { message: `must be ${mustBe}`, context: { schema } },
      validator: { validate: test },
    });
  };

/** A rule whose code and schema are one regular expression. */
export const pattern = (name: string, regExp: RegExp, mustBe: string): PropertyDecorator =>
  decorator({
    name,
    test: (value) => typeof value === 'string' && regExp.test(value),
    schema: { type: 'string', pattern: regExp.source },
    mustBe,
  });
