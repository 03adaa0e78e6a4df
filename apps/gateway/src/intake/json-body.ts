import { isUtf8 } from 'node:buffer';
import { parseText } from '@sluice/contracts';
import { httpError } from '../errors/api-error.js';

const maxDepth = 32;
/** A larger body is checked before it is parsed: brackets in brackets take up to thirty times as long as usual text. */
const mostUncheckedBytes = 131_072;
const [quote, backslash, openBrace, openBracket, closeBrace, closeBracket] = Buffer.from('"\\{[}]');

/** The JSON body of a request. */
export class JsonBody {
  /** What it says. */
  readonly value: unknown;
  /** As it came, inflated. */
  readonly bytes: Buffer;
  private depthIsKnown = false;

  /**
   * @param mostUnchecked size up to which the depth is not checked before parsing
   * @throws ApiError 400 when the bytes are not UTF-8, not JSON, or none at all.
   */
  constructor(bytes: Buffer | undefined, mostUnchecked = mostUncheckedBytes) {
    if (bytes === undefined || !isUtf8(bytes)) throw httpError.malformed();
    this.bytes = bytes;
    if (bytes.length > mostUnchecked) this.assertDepth();
    try {
      this.value = parseText(bytes.toString('utf8'));
    } catch {
      throw httpError.malformed();
    }
  }

  /**
   * Must have been called before the value is walked to its ends, and before anything is said of what it holds: counting
   * takes as long as half of the parsing, and a body that is stored whole cannot be that deep.
   * @throws ApiError 400 when it is deeper than 32.
   */
  assertDepth(): void {
    if (this.depthIsKnown) return;
    if (isDeeperThan(maxDepth, this.bytes)) throw httpError.malformed();
    this.depthIsKnown = true;
  }
}

/** Counts brackets outside strings. */
function isDeeperThan(limit: number, bytes: Buffer): boolean {
  let depth = 0;
  let inString = false;
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i];
    if (byte === quote) inString = !inString;
    else if (inString) {
      if (byte === backslash) i++;
    } else if (byte === openBrace || byte === openBracket) {
      if (++depth > limit) return true;
    } else if (byte === closeBrace || byte === closeBracket) depth--;
  }
  return false;
}
