import { registerDecorator } from 'class-validator';

/** JSON Schema keywords that say the same as a rule's test. */
export type Keywords = Readonly<Record<string, unknown>>;

/** A requirement on the value of a field: as code, as JSON Schema, and in words. */
export interface Rule {
  /** Must not be a name of class-validator: for those, class-validator-jsonschema replaces our schema by its own. */
  name: string;
  test: (value: unknown) => boolean;
  schema: Keywords;
  /** Completes "<field> must be …". */
  mustBe: string;
}

/** Makes a class-validator decorator of a rule; its metadata holds the schema for the compiled validator and OpenAPI. */
export const ruleDecorator =
  ({ name, test, schema, mustBe }: Rule): PropertyDecorator =>
  (target, property) =>
    registerDecorator({
      name,
      target: target.constructor,
      propertyName: String(property),
      options: { message: `must be ${mustBe}`, context: { schema } },
      validator: { validate: test },
    });

/** A rule whose code and schema are one regular expression. */
export const patternDecorator = (name: string, regExp: RegExp, mustBe: string): PropertyDecorator =>
  ruleDecorator({
    name,
    test: (value) => typeof value === 'string' && regExp.test(value),
    schema: { type: 'string', pattern: regExp.source },
    mustBe,
  });
