/**
 * Texts that stand for a missing id, in lower case: what languages print for no value, the names of the fields themselves,
 * and device ids that many devices share. PostHog and Amplitude refuse most of them. docs/api.md#placeholder-ids.
 */
export const placeholderIds: readonly string[] = [
  ...['undefined', 'null', '(null)', '<null>', 'nil', '<nil>', 'none', 'nan', 'true', 'false', '-1', '[]', '{}'],
  ...['[object object]', 'n/a', 'unknown', 'unset', 'anonymous', 'guest', 'not_authenticated'],
  ...['id', 'userid', 'user_id', 'anonymousid', 'anonymous_id', 'distinctid', 'distinct_id', 'deviceid', 'device_id'],
  ...['email', '9774d56d682e549c', '02:00:00:00:00:00'],
];

/** Characters of which an id may not consist alone: zeros, as an advertising id without permission, and separators. */
export const blankCharacters = '0-_.: ';

const words = new Set(placeholderIds);
const maxWordLength = Math.max(...placeholderIds.map((word) => word.length));
const blank = /^[0\-_.: ]*$/;
const capitals = /[A-Z]+/g;

/** Length of a word, and the low bits of its first and last character: equal for capitals and small letters. */
const wordShape = (word: string): number =>
  (word.length << 10) | ((word.charCodeAt(0) & 31) << 5) | (word.charCodeAt(word.length - 1) & 31);
/** Excludes nearly every id at once: a look-up of each took a hundredth of the time of a batch. */
const shapes = new Uint8Array((maxWordLength + 1) << 10);
for (const word of words) shapes[wordShape(word)] = 1;

/** Whether an id is a placeholder, which belongs to nobody and never links people. */
export function isPlaceholderId(id: string): boolean {
  if (id === '') return true;
  if (id.length <= maxWordLength && shapes[wordShape(id)] === 1 && words.has(lowerCase(id))) return true;
  return blankCharacters.includes(id.charAt(0)) && blank.test(id);
}

/** Only letters of ASCII, as ClickHouse's `lower`. */
const lowerCase = (text: string): string => text.replace(capitals, (letters) => letters.toLowerCase());

/** SQL condition that is true for a column with an id that is not a placeholder: the same rule as `isPlaceholderId`. */
export const personIdCondition = (column: string): string =>
  `lower(${column}) NOT IN (${placeholderIds.map((word) => `'${word}'`).join(', ')}) AND trimBoth(${column}, '${blankCharacters}') != ''`;
