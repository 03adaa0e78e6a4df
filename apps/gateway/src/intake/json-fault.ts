import { isUtf8 } from 'node:buffer';

/** The words for which programs are known that write them in place of JSON's own, or of no value at all. */
const foreignWords = /[+-]?(?:NaN|nan|Infinity|inf|undefined|None|True|False|NULL|nil)\b/y;
const number = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const word = /true|false|null/y;
const space = /[ \t\r\n]*/y;
const plainText = /[^"\\\x00-\x1f]*/y; // eslint-disable-line no-control-regex -- JSON forbids exactly these
const escape = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;

/** Magic numbers of encodings by which a body can be compressed. */
const magicNumbers: readonly (readonly [string, number, number])[] = [
  ['gzip', 0x1f, 0x8b],
  ['zstd', 0x28, 0xb5],
  ['deflate', 0x78, 0x01],
  ['deflate', 0x78, 0x9c],
  ['deflate', 0x78, 0xda],
];

/**
 * Says why bytes cannot be read as JSON, and where. It repeats nothing of the text but words of a fixed list and
 * punctuation, because answers and samples of refused requests must not show what the rules of a source hide.
 * @param from where the bytes begin in the body
 */
export function explainJson(bytes: Buffer, from = 0): string {
  const [first, second] = bytes;
  if (first === undefined) return 'the body is empty';
  if (!isUtf8(bytes)) {
    const encoding =
      from === 0 &&
      magicNumbers.find(([, firstMagic, secondMagic]) => firstMagic === first && secondMagic === second)?.[0];
    if (encoding) return `compressed by ${encoding}, but without Content-Encoding: ${encoding}`;
    if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)) return 'UTF-16, must be UTF-8';
    return `not UTF-8 at byte ${from + measureUtf8(bytes)}`;
  }
  if (first === 0xef && second === 0xbb) return 'begins with a byte order mark (BOM), which JSON must not have';
  const fault = new JsonScan(bytes.toString('latin1')).findFault();
  return fault ? `not JSON at byte ${from + fault.index}: ${fault.description}` : 'not JSON';
}

/** Length of the longest part from the start that is UTF-8. */
function measureUtf8(bytes: Buffer): number {
  let [valid, invalid] = [0, bytes.length];
  while (invalid - valid > 1) {
    const middle = (valid + invalid) >> 1;
    // A part may end within a character: up to three bytes fewer must be UTF-8 then.
    const isValid = [0, 1, 2, 3].some((cut) => cut <= middle && endsWithinCharacter(bytes, middle, cut));
    if (isValid) valid = middle;
    else invalid = middle;
  }
  return valid;
}

const endsWithinCharacter = (bytes: Buffer, end: number, cut: number): boolean =>
  isUtf8(bytes.subarray(0, end - cut)) && (cut === 0 || isStartOfCharacter(bytes.subarray(end - cut, end)));

/** Whether bytes are the beginning of a longer character. */
function isStartOfCharacter([lead = 0, ...rest]: Buffer): boolean {
  const length = lead >= 0xf0 && lead <= 0xf4 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc2 ? 2 : 1;
  return lead <= 0xf4 && rest.length + 1 < length && rest.every((byte) => byte >> 6 === 2);
}

interface Fault {
  readonly index: number;
  readonly description: string;
}

type Expected = 'value' | 'first item' | 'name' | 'first name' | 'colon' | 'next' | 'end';

/** Finds the first place at which a text is not JSON. Bytes of UTF-8 are read as characters of their own. */
class JsonScan {
  private index = 0;
  private expected: Expected = 'value';
  /** The closing brackets that are still to come. */
  private readonly open: string[] = [];
  private commaIndex = -1;

  constructor(private readonly text: string) {}

  /** Returns undefined for JSON. */
  findFault(): Fault | undefined {
    for (;;) {
      this.skip(space);
      if (this.index >= this.text.length) return this.expected === 'end' ? undefined : this.faultAtEnd();
      const fault = this.readToken(this.text.charAt(this.index));
      if (fault) return fault;
    }
  }

  private readToken(character: string): Fault | undefined {
    switch (this.expected) {
      case 'value':
        return this.readValue(character);
      case 'first item':
        return character === ']' ? this.close() : this.readValue(character);
      case 'name':
        return character === '"' ? this.readString('colon') : this.fault(character);
      case 'first name':
        if (character === '}') return this.close();
        return character === '"' ? this.readString('colon') : this.fault(character);
      case 'colon':
        return character === ':' ? this.step('value') : this.fault(character);
      case 'next':
        if (character === this.open.at(-1)) return this.close();
        if (character !== ',') return this.fault(character);
        this.commaIndex = this.index;
        return this.step(this.open.at(-1) === '}' ? 'name' : 'value');
      case 'end':
        return { index: this.index, description: 'more text behind the end' };
    }
  }

  private readValue(character: string): Fault | undefined {
    if (character === '"') return this.readString(this.afterValue());
    if (character === '{' || character === '[') {
      this.open.push(character === '{' ? '}' : ']');
      return this.step(character === '{' ? 'first name' : 'first item');
    }
    if (!this.skip(word) && !this.skip(number)) return this.fault(character);
    this.expected = this.afterValue();
    return undefined;
  }

  /** Reads a text, which begins here. */
  private readString(next: Expected): Fault | undefined {
    this.index += 1;
    do this.skip(plainText);
    while (this.skip(escape));
    const character = this.text.charAt(this.index);
    if (character === '"') return this.step(next);
    if (character === '') return { index: this.index, description: 'the end, within a text' };
    if (character === '\\') return { index: this.index, description: 'an escape that JSON does not have' };
    return { index: this.index, description: 'a control character in a text, which must be escaped' };
  }

  private close(): Fault | undefined {
    this.open.pop();
    return this.step(this.afterValue());
  }

  private afterValue(): Expected {
    return this.open.length === 0 ? 'end' : 'next';
  }

  private step(next: Expected): Fault | undefined {
    this.index += 1;
    this.expected = next;
    return undefined;
  }

  /** Moves behind the text that the pattern matches here. Returns false if it matches none. */
  private skip(pattern: RegExp): boolean {
    pattern.lastIndex = this.index;
    if (!pattern.test(this.text) || pattern.lastIndex === this.index) return false;
    this.index = pattern.lastIndex;
    return true;
  }

  private faultAtEnd(): Fault {
    const missing = this.open.at(-1);
    return { index: this.index, description: missing ? `the end, before a ${missing}` : 'the end' };
  }

  private fault(character: string): Fault {
    const { index, expected } = this;
    if (
      (character === '}' || character === ']') &&
      (expected === 'name' || expected === 'value') &&
      this.commaIndex >= 0
    )
      return { index: this.commaIndex, description: `a comma before ${character}` };
    foreignWords.lastIndex = index;
    const [foreign] = foreignWords.exec(this.text) ?? [];
    if (foreign !== undefined) return { index, description: foreign };
    return { index, description: nameCharacter(character) };
  }
}

/** A character, if it is punctuation, or its kind. */
function nameCharacter(character: string): string {
  if (character === "'") return "a single quote ('), where JSON has double ones";
  if (/[!-/:-@[-`{-~]/.test(character)) return character;
  if (/\d/.test(character)) return 'a digit';
  return /[A-Za-z]/.test(character) ? 'a letter' : 'a character';
}
