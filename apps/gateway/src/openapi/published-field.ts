import { decimalDigits } from '@sluice/contracts';
import { type FieldSchema } from '@sluice/messages';

const year = '(19(7[1-9]|[89][0-9])|20[0-9][0-9]|21([0-3][0-9]|4[0-8]))';
const day = '((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8]))';
const leapDay = '(19(7[26]|8[048]|9[26])|20([02468][048]|[13579][26])|21(0[48]|[24][048]|[13][26]))-02-29';
const lastYear = '2149-(0[135]-(0[1-9]|[12][0-9]|3[01])|04-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8])|06-0[1-5])';
const firstYear =
  '1970-((0[3578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8])|01-(0[2-9]|[12][0-9]|3[01]))';
const minutes = '[0-5][0-9](:[0-5][0-9]([.,][0-9]{1,9})?)?';
const time = `([01][0-9]|2[0-3]):${minutes}`;
const hours = '([01][0-9]|2[0-3])(:?[0-5][0-9])?';
const anHour = '(0[1-9]|1[0-9]|2[0-3])(:?[0-5][0-9])?';
/** Days on which a time may lie outside of 1970-01-01 to 2149-06-06 in UTC by its offset: those that never do. */
const bounds = [
  `1969-12-31[Tt ]23:${minutes}-${anHour}`,
  `1970-01-01[Tt ]${time}([Zz]|-${hours})?`,
  `2149-06-06[Tt ]${time}([Zz]|[+]${hours})?`,
  `2149-06-07[Tt ]00:${minutes}[+]${anHour}`,
].join('|');

/**
 * Pattern of dates and times, each of which `isDateTime` accepts. Unlike the format `date-time` it does not require
 * seconds and an offset. Only on the first and the last day does the rule accept times that it leaves out.
 */
export const dateTimePattern = `^((${firstYear}|${year}-${day}|${leapDay}|${lastYear})[Tt ]${time}([Zz]|[+-]${hours})?|${bounds})$`;

/** In words: validators compute `multipleOf` with doubles, by which 49.9 is not a multiple of 1e-9. */
const decimalRule = `At most ${decimalDigits.whole} digits before and ${decimalDigits.fraction} after the point.`;
const decimalBound = 10 ** decimalDigits.whole;

/** Keywords of plain JSON Schema that express the checks of the compiled validator's own formats. */
const keywordsOf: Readonly<Record<string, object>> = {
  'date-time': { pattern: dateTimePattern },
  decimal: {
    exclusiveMinimum: -decimalBound,
    exclusiveMaximum: decimalBound,
  },
  'well-formed': {},
};

/** Converts a field for the OpenAPI document: replaces the formats that only the compiled validator knows. */
export function publishedField({ format, ...field }: FieldSchema): object {
  if (format === 'decimal') field.description = [field.description, decimalRule].filter(Boolean).join(' ');
  return { ...field, ...(format !== undefined && (keywordsOf[format] ?? { format })) };
}
