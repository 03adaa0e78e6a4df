/** A name of a member, as masks compare it. */
interface Name {
  /** Without case, `_`, `-` and spaces. */
  readonly plain: string;
  /** Every run of last words, joined; each also without its trailing digits. */
  readonly wordSuffixes: ReadonlySet<string>;
}

type NameTest = (name: Name) => boolean;

const separators = /[_\s-]+/g;
/** A long name has many words, and a mask few: only its last words are compared. */
const maxEndLength = 64;

const plain = (text: string): string => text.toLowerCase().replace(separators, '');

/** Begins a word at each capital letter, and at the last of several when a small one follows (`userIPAddress`). */
const words = (name: string): string[] =>
  name
    .slice(-maxEndLength)
    .replace(/(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/gu, ' ')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');

export function normalizeName(text: string): Name {
  const wordSuffixes = new Set<string>();
  let end = '';
  for (const word of words(text).reverse()) {
    end = word + end;
    wordSuffixes.add(end);
    wordSuffixes.add(end.replace(/\d+$/, ''));
  }
  return { plain: plain(text), wordSuffixes };
}

/** A mask: it covers paths whose last names are like its segments. */
export class MaskPath {
  private readonly tests: readonly NameTest[];

  constructor(path: string) {
    this.tests = path.split('.').map(parseNameTest);
  }

  covers(names: readonly Name[]): boolean {
    const start = names.length - this.tests.length;
    return (
      start >= 0 &&
      this.tests.every((matches, index) => {
        const name = names[start + index];
        return name !== undefined && matches(name);
      })
    );
  }
}

function parseNameTest(segment: string): NameTest {
  const plainSegment = plain(segment);
  if (plainSegment.startsWith('~')) {
    const end = plainSegment.slice(1);
    return ({ wordSuffixes }) => wordSuffixes.has(end) || wordSuffixes.has(`${end}s`);
  }
  if (!plainSegment.includes('*')) return (name) => name.plain === plainSegment;
  const parts = plainSegment.split('*');
  return (name) => isLike(parts, name.plain);
}

/** Whether a text is like parts with any text between them; in linear time, whatever the text. */
function isLike([first = '', ...laterParts]: readonly string[], text: string): boolean {
  if (!text.startsWith(first)) return false;
  const last = laterParts.pop() ?? '';
  let cursor = first.length;
  for (const part of laterParts) {
    const index = text.indexOf(part, cursor);
    if (index < 0) return false;
    cursor = index + part.length;
  }
  return text.length - cursor >= last.length && text.endsWith(last);
}
