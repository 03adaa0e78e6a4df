import { createHmac } from 'node:crypto';
import { type MaskedJson } from '@sluice/console-api';

/** ECMAScript 2025, which TypeScript's library does not know yet. */
declare global {
  interface JSON {
    rawJSON(text: string): object;
    isRawJSON(value: unknown): boolean;
  }
}

/** Masks until an admin chooses others. */
export const usualMasks = [
  ...['*email*', '*phone*', '*mobile*', '*address*', '*national*id*', '*password*', '*token*', '*secret*'],
  ...['*birth*', '*passport*', '*iban*', 'context.ip', 'first_name', 'last_name', 'firstName', 'lastName'],
];

const mostCharacters = 65_536;
const mask = '‹masked›';
const integer = /^-?\d+$/;
const sixteenDigits = /\d{16}/;

/** Limits of the memory of names whose answer is known: their number, and the length of one. */
const mostKnown = 5_000;
const mostKnownLength = 200;

/** Payloads as everybody with the same rights sees them. */
export interface PayloadView {
  show(text: string): MaskedJson;
}

/** Shows payloads with some paths masked. It fails closed: what cannot be masked is not shown. */
export class Masks {
  readonly masked: PayloadView = { show: (text) => this.show(text, true) };
  readonly plain: PayloadView = { show: (text) => this.show(text, false) };
  private readonly patterns: readonly string[][];
  /** Answers of `covers` by path: messages have the same names again and again. */
  private readonly known = new Map<string, boolean>();

  constructor(
    readonly paths: readonly string[],
    private readonly secret: string,
  ) {
    this.patterns = paths.map((path) => path.toLowerCase().split('.'));
  }

  /**
   * JSON text for people, cut at 64 KB. A masked value shows its type, its length, and a tag that is the same for the
   * same value.
   */
  show(text: string, isMasked: boolean): MaskedJson {
    return cut(isMasked ? this.maskedText(text) : pretty(text), isMasked);
  }

  /** Whether values at a path of this name are masked; such a path must not be filtered by. */
  covers(path: readonly string[]): boolean {
    const names = path.map((name) => name.toLowerCase());
    return this.patterns.some(
      (pattern) =>
        pattern.length <= names.length &&
        pattern.every((segment, i) => isLike(segment, names[names.length - pattern.length + i] ?? '')),
    );
  }

  private isCovered(path: readonly string[]): boolean {
    const key = path.join('\0');
    if (key.length > mostKnownLength) return this.covers(path);
    let isCovered = this.known.get(key);
    if (isCovered === undefined) {
      isCovered = this.covers(path);
      if (this.known.size >= mostKnown) this.known.clear();
      this.known.set(key, isCovered);
    }
    return isCovered;
  }

  private maskedText(text: string): string {
    try {
      return stringify(this.maskedValue(parse(text), []));
    } catch {
      return JSON.stringify(`${mask} ${text.length} characters that are not JSON`);
    }
  }

  private maskedValue(value: unknown, path: readonly string[]): unknown {
    if (Array.isArray(value)) return value.map((one) => this.maskedValue(one, path));
    if (!isPlainObject(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, member]) => {
        const inner = [...path, ...name.split('.')];
        return [name, this.isCovered(inner) ? this.tagged(member) : this.maskedValue(member, inner)];
      }),
    );
  }

  private tagged(value: unknown): string {
    const text = typeof value === 'string' ? value : stringify(value);
    const kind = Array.isArray(value)
      ? 'list'
      : value === null
        ? 'null'
        : isPlainObject(value)
          ? 'object'
          : typeof value;
    const tag = createHmac('sha256', this.secret).update(text).digest('hex').slice(0, 4);
    return `‹${kind === 'object' && !isPlainObject(value) ? 'number' : kind}, ${text.length}, ${tag}›`;
  }
}

/** Whether a name is like a segment, in which `*` stands for any text; in linear time, whatever the name. */
function isLike(segment: string, name: string): boolean {
  const [first = '', ...others] = segment.split('*');
  if (others.length === 0) return name === first;
  if (!name.startsWith(first)) return false;
  const last = others.pop() ?? '';
  let at = first.length;
  for (const part of others) {
    const found = name.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return name.length - at >= last.length && name.endsWith(last);
}

const isPlainObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !JSON.isRawJSON(value);

/** Keeps integers beyond 2^53 as they were written. Without 16 digits in a row there are none, and reading is fast. */
function parse(text: string): unknown {
  if (!sixteenDigits.test(text)) return JSON.parse(text);
  return JSON.parse(text, (_name: string, value: unknown, context?: { source?: string }) => {
    const isLarge = typeof value === 'number' && !Number.isSafeInteger(value) && integer.test(context?.source ?? '');
    return isLarge ? JSON.rawJSON(context?.source ?? '') : value;
  });
}

const stringify = (value: unknown): string => JSON.stringify(value, null, 2);

function pretty(text: string): string {
  try {
    return stringify(parse(text));
  } catch {
    return text;
  }
}

function cut(json: string, isMasked: boolean): MaskedJson {
  return { json: json.slice(0, mostCharacters), isCut: json.length > mostCharacters, isMasked };
}
