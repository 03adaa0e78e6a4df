import { isDateTime } from './date-time.js';
import { isDecimal } from './decimal.js';
import { isHttpUrl, isWellFormed } from './text.js';

/** Checks for Sluice's own values of `format` in JSON Schema, by the JSON type they apply to. */
export const formats = {
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
