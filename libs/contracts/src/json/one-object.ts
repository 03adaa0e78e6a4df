const [newline, quote, comma, backslash] = [0x0a, 0x22, 0x2c, 0x5c];
const [openBrace, closeBrace, openBracket, closeBracket] = [0x7b, 0x7d, 0x5b, 0x5d];
const hexDigits = 4;

/**
 * False when the bytes certainly are not one JSON object of at least one member. True for every such object, and for
 * broken ones that cannot contain a second object. It is quick because it mostly looks at closing braces only.
 */
export function mayBeOneObject(value: Buffer): boolean {
  if (value[0] !== openBrace || value.length <= 2) return false;
  return isPlainlyOne(value) || isOneObject(value);
}

/** Whether each closing brace is the last byte, or is followed by bytes that cannot begin a second object. */
function isPlainlyOne(value: Buffer): boolean {
  const last = value.length - 1;
  if (value[last] !== closeBrace || value.includes(newline)) return false;
  for (let index = value.indexOf(closeBrace); index < last; index = value.indexOf(closeBrace, index + 1)) {
    const next = value[index + 1];
    const isInside = next === closeBrace || next === closeBracket || (next === comma && value[index + 2] === quote);
    if (!isInside) return false;
  }
  return true;
}

/**
 * Whether the bytes are one JSON object with nothing but white space after it. Only braces, brackets and strings are
 * checked, not numbers or names.
 * @param maxDepth upper bound of objects and lists within one another; deeper ones give false
 */
export function isOneObject(value: Buffer, maxDepth = Infinity): boolean {
  if (value[0] !== openBrace) return false;
  const closings: number[] = [];
  for (let index = 0; index < value.length; index++) {
    const byte = value[index];
    if (byte === quote) {
      index = endOfString(value, index);
      if (index < 0) return false;
    } else if (byte === backslash) {
      // ClickHouse passes over the byte after a backslash outside strings too, even a quote or a brace.
      return false;
    } else if (closings.length > maxDepth) return false;
    else if (byte === openBrace) closings.push(closeBrace);
    else if (byte === openBracket) closings.push(closeBracket);
    else if (byte === closeBrace || byte === closeBracket) {
      if (closings.pop() !== byte) return false;
      if (closings.length === 0) return isBlank(value, index + 1);
    }
  }
  return false;
}

/** Index of the closing quote of the string that begins at `from`; -1 when there is none, or its place is uncertain. */
function endOfString(value: Buffer, from: number): number {
  for (let index = from + 1; index < value.length; index++) {
    const byte = value[index];
    if (byte === quote) return index;
    if (byte === newline) return -1;
    if (byte !== backslash) continue;
    index += 1;
    // ClickHouse skips the four bytes after \u whatever they are, even a quote or a newline.
    if (value[index] === 0x75 && !isHex(value, index + 1)) return -1;
  }
  return -1;
}

function isHex(value: Buffer, from: number): boolean {
  return /^[0-9a-f]{4}$/i.test(value.toString('latin1', from, from + hexDigits));
}

function isBlank(value: Buffer, from: number): boolean {
  return /^[ \t\r\n]*$/.test(value.toString('latin1', from));
}
