import { isDateTime } from './date-time.js';
import { isDecimal } from './decimal.js';
import { isHttpUrl, isWellFormed } from './text.js';

/** Checks for the values of `format` in Sluice's JSON Schemas, by the JSON type that they apply to. */
export const fieldFormats = {
  string: {
    'date-time': isDateTime,
    iri: isHttpUrl,
    'well-formed': isWellFormed,
  },
  number: {
    decimal: isDecimal,
    // `minimum` and `maximum` in the schema check the bounds.
    int32: (): boolean => true,
  },
} as const;
