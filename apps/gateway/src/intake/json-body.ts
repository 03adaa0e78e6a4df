import { isUtf8 } from 'node:buffer';
import { parseText } from '@sluice/contracts';
import { httpError } from '../errors/api-error.js';

const maxDepth = 32;
/**
 * Size above which the depth is checked before parsing: nested brackets take up to thirty times as long as usual text.
 */
const maxUncheckedBytes = 131_072;
const [quote, backslash, openBrace, openBracket, closeBrace, closeBracket] = Buffer.from('"\\{[}]');

/** The JSON body of a request. */
export class JsonBody {
  /** The parsed value. */
  readonly value: unknown;
  /** The bytes as sent, inflated. */
  readonly bytes: Buffer;
  private depthIsKnown = false;

  /**
   * @param maxUnchecked size up to which the depth is not checked before parsing
   * @throws ApiError 400 when the bytes are missing, not UTF-8 or not JSON.
   */
  constructor(bytes: Buffer | undefined, maxUnchecked = maxUncheckedBytes) {
    if (bytes === undefined || !isUtf8(bytes)) throw httpError.malformed();
    this.bytes = bytes;
    if (bytes.length > maxUnchecked) this.assertDepth();
    try {
      this.value = parseText(bytes.toString('utf8'));
    } catch {
      throw httpError.malformed();
    }
  }

  /**
   * Must be called before the value is traversed completely, and before any of its content is reported. The constructor
   * leaves it out for small bodies: counting takes half as long as parsing, and a body that is stored unchanged cannot
   * be that deep.
   * @throws ApiError 400 when the body is deeper than 32.
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
