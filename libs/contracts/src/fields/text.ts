import { decorator, type Keywords } from './rule.js';

/** Lengths count Unicode code points, as `maxLength` of JSON Schema does: docs/api.md#track-and-identify-messages. */
const isWithin = (text: string, min: number, max: number): boolean => {
  // Units of UTF-16 are at most twice as many; most texts need no counting.
  if (text.length < min || text.length > 2 * max) return false;
  if (text.length <= max && text.length >= 2 * min) return true;
  const surrogatePairs = text.match(/[\ud800-\udbff][\udc00-\udfff]/g)?.length ?? 0;
  return text.length - surrogatePairs >= min && text.length - surrogatePairs <= max;
};

interface TextRule {
  name: string;
  min?: number;
  max?: number;
  /** With the `u` flag, as JSON Schema has it. */
  regExp?: RegExp;
  mustBe: string;
}

/** ClickHouse refuses half a surrogate pair, and with it the whole block. */
export const isWellFormed = (value: string): boolean => value.isWellFormed();

/** A text whose length is looked at before its pattern, so that no pattern runs on more than it has to. */
const text = ({ name, min = 0, max = Infinity, regExp, mustBe }: TextRule): PropertyDecorator =>
  decorator({
    name,
    test: (value) =>
      typeof value === 'string' &&
      isWithin(value, min, max) &&
      isWellFormed(value) &&
      (regExp === undefined || regExp.test(value)),
    schema: {
      type: 'string',
      ...(min > 0 && { minLength: min }),
      ...(max < Infinity && { maxLength: max }),
      ...(regExp && { pattern: regExp.source }),
      format: 'well-formed',
    },
    mustBe,
  });

const notBlank = /\S/u;

/** A text that says something: not empty, not only spaces. */
export const IsText = ({ max }: { max: number }): PropertyDecorator =>
  text({ name: 'isText', min: 1, max, regExp: notBlank, mustBe: `text of 1 to ${max} characters, not blank` });

/** A text that may be empty; without `max`, as long as the body may be. */
export const IsAnyText = ({ max }: { max?: number } = {}): PropertyDecorator =>
  text({
    name: 'isAnyText',
    ...(max !== undefined && { max }),
    mustBe: max === undefined ? 'text' : `text of at most ${max} characters`,
  });

/** A text of exactly so many characters. */
export const HasLength = (length: number): PropertyDecorator =>
  text({
    name: 'hasLength',
    min: length,
    max: length,
    regExp: notBlank,
    mustBe: `text of exactly ${length} characters, not blank`,
  });

/** The pattern of docs/api.md#seller. */
const email = /^(?=.{1,64}@)[\p{L}0-9_-]+(\.[\p{L}0-9_-]+)*@[^-][\p{L}0-9-]+(\.[\p{L}0-9-]+)*(\.[\p{L}]{2,})$/u;

export const IsEmailAddress = ({ max }: { max: number }): PropertyDecorator =>
  text({
    name: 'isEmailAddress',
    min: 1,
    max,
    regExp: email,
    mustBe: `an e-mail address of at most ${max} characters`,
  });

const httpUrl = /^https?:\/\/[^\s\p{Cc}\p{Cs}/?#]+(?:[/?#][^\s\p{Cc}\p{Cs}]*)?$/iu;

/**
 * An absolute http or https URL that the WHATWG URL Standard can parse, without spaces. Letters of any script may stand
 * in it as they are (RFC 3987).
 */
export const isHttpUrl = (value: string): boolean => httpUrl.test(value) && URL.canParse(value);

const urlSchema = (max: number): Keywords => ({ type: 'string', maxLength: max, format: 'iri' });
const isUrl = (value: unknown, max: number): boolean =>
  typeof value === 'string' && isWithin(value, 0, max) && isHttpUrl(value);

export const IsHttpUrl = ({ max }: { max: number }): PropertyDecorator =>
  decorator({
    name: 'isHttpUrl',
    test: (value) => isUrl(value, max),
    schema: urlSchema(max),
    mustBe: `an http or https URL of at most ${max} characters`,
  });

export const IsListOfUrls = ({ max }: { max: number }): PropertyDecorator =>
  decorator({
    name: 'isListOfUrls',
    test: (value) => Array.isArray(value) && value.every((one) => isUrl(one, max)),
    schema: { type: 'array', items: urlSchema(max) },
    mustBe: `an array of http or https URLs of at most ${max} characters`,
  });
