import { isUtf8 } from 'node:buffer';
import { refusal } from '../errors/api-error.js';
import { parseText } from './parse-text.js';

const maxDepth = 32;
const [quote, backslash, openBrace, openBracket, closeBrace, closeBracket] = Buffer.from('"\\{[}]');

/** @throws ApiError 400 when the bytes are not UTF-8, not JSON, deeper than 32, or none at all. */
export function parseJson(bytes: Buffer | undefined): unknown {
  if (bytes === undefined || !isUtf8(bytes) || isDeeperThan(maxDepth, bytes)) throw refusal.malformed();
  try {
    return parseText(bytes.toString('utf8'));
  } catch {
    throw refusal.malformed();
  }
}

/** Counts brackets outside strings; what is not JSON at all is found by the parser afterwards. */
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
