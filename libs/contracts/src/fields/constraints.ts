import { IsOptional, ValidateIf } from 'class-validator';
import { JSONSchema } from 'class-validator-jsonschema';
import { isObject } from '../json/is-object.js';
import { isDateTime } from './date-time.js';
import { ruleDecorator, patternDecorator } from './rule.js';

// Decorators for the fields of several messages.

/** A userId or anonymousId: docs/api.md#track-and-identify-messages. */
export const IsPersonId = (): PropertyDecorator =>
  patternDecorator(
    'isPersonId',
    /^[A-Za-z0-9_\-.@:+|=~]{1,64}$/,
    '1 to 64 of the characters A-Z a-z 0-9 _ - . @ : + | = ~',
  );

/** The name of an action: docs/api.md#track-and-identify-messages. */
export const IsEventName = (): PropertyDecorator =>
  patternDecorator('isEventName', /^[a-zA-Z0-9_\-.]{1,64}$/, '1 to 64 of the characters a-z A-Z 0-9 _ - .');

/** An ISO 8601 date-time with date and time: docs/api.md#dates-and-times. */
export const IsDateTime = (): PropertyDecorator =>
  ruleDecorator({
    name: 'isDateTime',
    test: (value) => typeof value === 'string' && isDateTime(value),
    schema: { type: 'string', format: 'date-time' },
    mustBe: 'an ISO 8601 date and time from 1970-01-01 to 2149-06-06, UTC',
  });

const freeFormRule = 'isFreeForm';
/** Rule for the names within a free-form object: docs/api.md#free-form-values. */
export type MemberNames = 'restricted' | 'free';

/** A free-form JSON object: docs/api.md#free-form-values. Its values are bounded when the row is shaped. */
export const IsFreeForm = ({ names }: { names: MemberNames }): PropertyDecorator =>
  ruleDecorator({
    name: freeFormRule,
    test: isObject,
    schema: { type: 'object', additionalProperties: true, 'x-names': names },
    mustBe: 'an object',
  });

/** A field that may be missing; `null` means missing. */
export const Optional = (): PropertyDecorator => IsOptional();

const isPresent = (value: unknown): boolean => value !== undefined && value !== null;

/** A field that is required unless the other field is present. */
export function RequiredWithout(otherField: string): PropertyDecorator {
  return (target, property) => {
    const field = String(property);
    const hasValue = (message: object, name: string): boolean => isPresent(Reflect.get(message, name));
    ValidateIf((message: object) => hasValue(message, field) || !hasValue(message, otherField))(target, property);
    ruleDecorator({
      name: 'requiredWithout',
      test: isPresent,
      schema: { 'x-required-without': otherField },
      mustBe: `there, or ${otherField}`,
    })(target, property);
  };
}

/** Meaning and example of a field, for the documentation of the API. */
export const Documented = (description: string, example?: unknown): PropertyDecorator =>
  JSONSchema({ description, ...(example !== undefined && { examples: [example] }) }) as PropertyDecorator;
