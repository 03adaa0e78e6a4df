import { decimalDigits } from '@sluice/contracts';
import { type FieldSchema } from '@sluice/messages';

const year = '(19[7-9][0-9]|20[0-9][0-9]|21([0-3][0-9]|4[0-8]))';
const day = '((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8]))';
const leapDay = '(19(7[26]|8[048]|9[26])|20([02468][048]|[13579][26])|21(0[48]|[24][048]|[13][26]))-02-29';
const lastYear = '2149-(0[135]-(0[1-9]|[12][0-9]|3[01])|04-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8])|06-0[1-7])';
const time = '([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.,][0-9]{1,9})?)?';
const offset = '([Zz]|[+-]([01][0-9]|2[0-3])(:?[0-5][0-9])?)?';

/**
 * Pattern of the dates and times that `isDateTime` accepts. Unlike the format `date-time` it does not require seconds
 * and an offset, and it allows only the days on which an accepted time can lie anywhere: whether the time is from
 * 1970-01-01 to 2149-06-06 in UTC depends on its offset.
 */
export const dateTimePattern = `^(1969-12-31|${year}-${day}|${leapDay}|${lastYear})[Tt ]${time}${offset}$`;

const decimalBound = 10 ** decimalDigits.whole;

/** Keywords of plain JSON Schema that express the checks of the compiled validator's own formats. */
const keywordsOf: Readonly<Record<string, object>> = {
  'date-time': { pattern: dateTimePattern },
  decimal: {
    exclusiveMinimum: -decimalBound,
    exclusiveMaximum: decimalBound,
    multipleOf: 10 ** -decimalDigits.fraction,
  },
  'well-formed': {},
};

/** Converts a field for the OpenAPI document: replaces the formats that only the compiled validator knows. */
export function publishedField({ format, ...field }: FieldSchema): object {
  return { ...field, ...(format !== undefined && (keywordsOf[format] ?? { format })) };
}
