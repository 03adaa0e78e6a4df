import { isDateTime } from './date-time.js';
import { isDecimal } from './decimal.js';
import { isHttpUrl, isWellFormed } from './text.js';

/** What our values of `format` in JSON Schema mean, by the type that they are said of. */
export const formats = {
  string: {
    'date-time': isDateTime,
    iri: isHttpUrl,
    'well-formed': isWellFormed,
  },
  number: {
    decimal: isDecimal,
    // The bounds stand beside it.
    int32: (): boolean => true,
  },
} as const;
