import { type Row } from './encode-rows.js';

/** Kinds of the items of an array, as bits. A null is nothing. */
const text = 1;
const bool = 2;
const object = 4;
const whole = 8;
const fraction = 16;
/** Values of several kinds, or arrays: ClickHouse may give it a type that every array fits. */
const unlike = 32;

const [open, close, brace, endBrace, quote, backslash, comma, minus] = [...Buffer.from('[]{}"\\,-')] as Codes;
type Codes = [number, number, number, number, number, number, number, number];
const [zero, nine, point, lowerE, upperE, plus] = [...Buffer.from('09.eE+')] as Six;
type Six = [number, number, number, number, number, number];
const [lowerA, lowerZ, lowerN, lowerT, lowerF, space] = [...Buffer.from('azntf ')] as Six;
/** A whole number of more characters may not fit Int64, and is then another type. */
const maxWholeLength = 18;
/** Bytes looked at, by byte of a row: values are 8 levels deep, and each is looked at once for each array around it. */
const looksPerByte = 8;

/**
 * True when an array in one of the rows could take its type from another row (docs/decisions/0078-rows-and-neighbours.md):
 * arrays of mixed values or of arrays, and whole numbers next to fractions. True also where that is uncertain.
 */
export function hasUnlikeArrays(rows: readonly Row[]): boolean {
  let kinds = 0;
  for (const { value } of rows) {
    kinds |= kindsOfArrays(value);
    if ((kinds & unlike) !== 0 || (kinds & (whole | fraction)) === (whole | fraction)) return true;
  }
  return false;
}

/**
 * The kinds of all arrays in a row. Every bracket is judged by itself, also one within a text, which can only make the
 * answer too careful.
 */
function kindsOfArrays(value: Buffer): number {
  let start = value.indexOf(open);
  if (start < 0) return 0;
  let kinds = 0;
  const array = new ArrayBytes(value);
  while (start >= 0) {
    kinds |= array.kindsFrom(start);
    if ((kinds & unlike) !== 0) return unlike;
    start = value.indexOf(open, start + 1);
  }
  return kinds;
}

class ArrayBytes {
  private position = 0;
  private looks: number;

  constructor(private readonly bytes: Buffer) {
    this.looks = looksPerByte * bytes.length;
  }

  /** The kinds of the items of an array that begins here; 0 where none does. */
  kindsFrom(start: number): number {
    this.position = start + 1;
    let kinds = 0;
    for (;;) {
      const start = this.position;
      const kind = this.item();
      this.looks -= this.position - start;
      if (this.looks < 0) return unlike;
      if (kind === undefined) return (kinds & fraction) !== 0 ? fraction : kinds;
      kinds |= kind;
      if (isUnlike(kinds)) return unlike;
    }
  }

  /** Passes an item and the comma after it. Returns undefined at the end, or at what no array has. */
  private item(): number | undefined {
    this.passSpace();
    const kind = this.kind(this.bytes[this.position]);
    if (kind === undefined || kind === unlike) return kind;
    this.passSpace();
    const next = this.bytes[this.position];
    if (next === comma) this.position++;
    else if (next !== close) return undefined;
    return kind;
  }

  private kind(first = 0): number | undefined {
    if (first === quote) return this.passText() ? text : undefined;
    if (first === brace) return this.passObject() ? object : undefined;
    if (first === open) return unlike;
    if (first === minus || isDigit(first)) return this.passNumber();
    if (first !== lowerN && first !== lowerT && first !== lowerF) return undefined;
    while (isLetter(this.bytes[this.position])) this.position++;
    return first === lowerN ? 0 : bool;
  }

  private passSpace(): void {
    for (let byte = this.bytes[this.position]; byte !== undefined && byte <= space; byte = this.bytes[this.position])
      this.position++;
  }

  private passText(): boolean {
    const { bytes } = this;
    for (let i = this.position + 1; i < bytes.length; i++) {
      if (bytes[i] === backslash) i++;
      else if (bytes[i] === quote) {
        this.position = i + 1;
        return true;
      }
    }
    this.position = bytes.length;
    return false;
  }

  private passObject(): boolean {
    const { bytes } = this;
    let depth = 0;
    while (this.position < bytes.length) {
      const byte = bytes[this.position];
      if (byte === quote) {
        if (!this.passText()) return false;
        continue;
      }
      this.position++;
      if (byte === brace) depth++;
      else if (byte === endBrace && --depth === 0) return true;
    }
    return false;
  }

  private passNumber(): number {
    const start = this.position;
    let kind = whole;
    for (;;) {
      const byte = this.bytes[this.position] ?? 0;
      if (byte === point || byte === lowerE || byte === upperE) kind = fraction;
      else if (!isDigit(byte) && byte !== minus && byte !== plus) break;
      this.position++;
    }
    return kind === whole && this.position - start > maxWholeLength ? unlike : kind;
  }
}

/** True when values of these kinds have no type in common; whole numbers and fractions have. */
function isUnlike(kinds: number): boolean {
  const distinct = (kinds & fraction) !== 0 ? kinds & ~whole : kinds;
  return (distinct & unlike) !== 0 || (distinct & (distinct - 1)) !== 0;
}

const isDigit = (byte: number): boolean => byte >= zero && byte <= nine;
const isLetter = (byte = 0): boolean => byte >= lowerA && byte <= lowerZ;
