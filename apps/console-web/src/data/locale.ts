/**
 * Language of all numbers and times, whatever the browser says: its own may be none of BCP 47, such as `en-US@posix`, and
 * then every formatter fails that takes it.
 */
export const locale = 'en';
/** The same, with days as in ISO 8601. */
export const dayLocale = 'en-CA';
