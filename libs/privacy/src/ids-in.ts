/** Members whose values are ids, of users or of anonymous ids, in what clients send. */
const memberNames = ['userId', 'user_id', 'anonymousId', 'anonymous_id', 'previousId', 'groupId'];
const maxIds = 2_000;

/** Characters of a whole id of 256 characters, each of them escaped. */
const maxQuotedLength = 4_000;

/** A character of a name, as itself or escaped; of two hexadecimal digits only the second can be a letter. */
function spellCharacter(character: string): string {
  const [first = '', second = ''] = character.charCodeAt(0).toString(16).padStart(2, '0');
  const digit = /[a-f]/.test(second) ? `[${second}${second.toUpperCase()}]` : second;
  return `(?:${character}|\\\\u00${first}${digit})`;
}

/** Source of a regular expression, also of RE2, for such a member up to its value, however it is spelt. */
const memberPattern = `"(?:${memberNames.map((name) => Array.from(name, spellCharacter).join('')).join('|')})"\\s*:\\s*`;

const numberPattern = '-?[0-9][0-9.eE+-]{0,40}';

/** Sources of regular expressions whose only group is an id in a text: with its quotes, or as a number. */
export const idPatterns = {
  quoted: `${memberPattern}("(?:[^"\\\\]|\\\\.)*")`,
  number: `${memberPattern}(${numberPattern})`,
};

const anyMember = new RegExp(
  `${memberPattern}(?:("(?:[^"\\\\]|\\\\.){1,${maxQuotedLength}}")|(${numberPattern}))`,
  'gs',
);

/** Ids of people, up to 2,000, in what a client sent, which may be cut off or not be JSON, in any spelling of JSON. */
export function findIds(text: string): string[] {
  const ids = new Set<string>();
  for (const [, quoted, number = ''] of text.matchAll(anyMember)) {
    if (quoted === undefined) {
      // The id as it stands, and the text that a gateway makes of it: 42.0 is 42.
      ids.add(number);
      ids.add(String(Number(number)));
    } else ids.add(parseQuoted(quoted));
    if (ids.size >= maxIds) break;
  }
  return [...ids];
}

/** Reads a quoted text; one that is not JSON is taken as it stands between its quotes. */
function parseQuoted(quoted: string): string {
  try {
    return JSON.parse(quoted) as string;
  } catch {
    return quoted.slice(1, -1);
  }
}
