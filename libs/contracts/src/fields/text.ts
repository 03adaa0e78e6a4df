import { ruleDecorator, type Keywords } from './rule.js';

/** Checks a length in Unicode code points, like `maxLength` of JSON Schema: docs/api.md#track-and-identify-messages. */
const isWithin = (text: string, min: number, max: number): boolean => {
  // A code point has one or two UTF-16 units, so most texts need no counting.
  if (text.length < min || text.length > 2 * max) return false;
  if (text.length <= max && text.length >= 2 * min) return true;
  const surrogatePairs = text.match(/[\ud800-\udbff][\udc00-\udfff]/g)?.length ?? 0;
  return text.length - surrogatePairs >= min && text.length - surrogatePairs <= max;
};

interface TextRule {
  name: string;
  min?: number;
  max?: number;
  /** Must have the `u` flag, because JSON Schema implies it. */
  regExp?: RegExp;
  mustBe: string;
}

/** Whether a text has no lone surrogate. ClickHouse would refuse the whole block because of one. */
export const isWellFormed = (value: string): boolean => value.isWellFormed();

/** A text. Its length is checked before its pattern, so that no pattern runs on an overlong text. */
const textDecorator = ({ name, min = 0, max = Infinity, regExp, mustBe }: TextRule): PropertyDecorator =>
  ruleDecorator({
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

/** A text that is neither empty nor only white space. */
export const IsText = ({ max }: { max: number }): PropertyDecorator =>
  textDecorator({ name: 'isText', min: 1, max, regExp: notBlank, mustBe: `text of 1 to ${max} characters, not blank` });

/** A text, possibly empty. Without `max`, only the limit of the body bounds it. */
export const IsAnyText = ({ max }: { max?: number } = {}): PropertyDecorator =>
  textDecorator({
    name: 'isAnyText',
    ...(max !== undefined && { max }),
    mustBe: max === undefined ? 'text' : `text of at most ${max} characters`,
  });

/** A text of exactly `length` characters, not blank. */
export const HasLength = (length: number): PropertyDecorator =>
  textDecorator({
    name: 'hasLength',
    min: length,
    max: length,
    regExp: notBlank,
    mustBe: `text of exactly ${length} characters, not blank`,
  });

/** The pattern of docs/api.md#seller. */
const email = /^(?=.{1,64}@)[\p{L}0-9_-]+(\.[\p{L}0-9_-]+)*@[^-][\p{L}0-9-]+(\.[\p{L}0-9-]+)*(\.[\p{L}]{2,})$/u;

export const IsEmailAddress = ({ max }: { max: number }): PropertyDecorator =>
  textDecorator({
    name: 'isEmailAddress',
    min: 1,
    max,
    regExp: email,
    mustBe: `an e-mail address of at most ${max} characters`,
  });

const httpUrl = /^https?:\/\/[^\s\p{Cc}\p{Cs}/?#]+(?:[/?#][^\s\p{Cc}\p{Cs}]*)?$/iu;

/**
 * Whether the text is an absolute http or https URL that the WHATWG URL Standard can parse, without spaces. Letters of
 * any script need no escaping (RFC 3987).
 */
export const isHttpUrl = (value: string): boolean => httpUrl.test(value) && URL.canParse(value);

const urlSchema = (max: number): Keywords => ({ type: 'string', maxLength: max, format: 'iri' });
const isUrl = (value: unknown, max: number): boolean =>
  typeof value === 'string' && isWithin(value, 0, max) && isHttpUrl(value);

export const IsHttpUrl = ({ max }: { max: number }): PropertyDecorator =>
  ruleDecorator({
    name: 'isHttpUrl',
    test: (value) => isUrl(value, max),
    schema: urlSchema(max),
    mustBe: `an http or https URL of at most ${max} characters`,
  });

export const IsListOfUrls = ({ max }: { max: number }): PropertyDecorator =>
  ruleDecorator({
    name: 'isListOfUrls',
    test: (value) => Array.isArray(value) && value.every((url) => isUrl(url, max)),
    schema: { type: 'array', items: urlSchema(max) },
    mustBe: `an array of http or https URLs of at most ${max} characters`,
  });
