import { createHmac } from 'node:crypto';
import { type MaskedJson, type ValuePattern } from '@sluice/console-api';
import { MaskPath, normalizeName } from './mask-path.js';
import { replaceValues, valuePatterns } from './value-patterns.js';

/** ECMAScript 2025, which TypeScript's library does not know yet. */
declare global {
  interface JSON {
    rawJSON(text: string): object;
    isRawJSON(value: unknown): boolean;
  }
}

const maxLength = 65_536;
const mask = '‹masked›';
const integer = /^-?\d+$/;
const sixteenDigits = /\d{16}/;
/** Max depth of JSON inside of texts that is read. */
const maxDepth = 4;

/** Limits of the cache of `covers`: number of paths, and length of one. */
const maxKnown = 5_000;
const maxKnownLength = 200;

/** Within a scope, equal values have equal tags; the tags of two scopes say nothing about each other. */
export interface TagScope {
  source: string;
  /** Any time of the day, ISO 8601. */
  at: string;
}

/** Payloads and single values as everybody with the same rights sees them. */
export interface PayloadView {
  readonly isMasked: boolean;
  /** JSON text for people, at most 65,536 characters. By default, its `source_id` and `received_at` are the scope. */
  show(text: string, scope?: TagScope): MaskedJson;
  /** The value of a column or a field. */
  value(name: string, text: string, scope: TagScope): string;
  /** Whether a filter by this value could reveal what is masked. */
  hides(name: string, text: string): boolean;
}

/** Shows payloads with some values masked. It fails closed: what cannot be masked is not shown. */
export class PayloadMasks {
  readonly masked: PayloadView = {
    isMasked: true,
    show: (text, scope) => this.show(text, true, scope),
    value: (name, text, scope) => this.shownValue(name, text, scope),
    hides: (name, text) => this.covers(name.split('.')) || this.withoutValues(text, noScope) !== text,
  };
  readonly plain: PayloadView = {
    isMasked: false,
    show: (text) => this.show(text, false),
    value: (_, text) => text,
    hides: () => false,
  };
  private readonly patterns: readonly MaskPath[];
  private readonly values: ReadonlySet<ValuePattern>;
  /** Answers of `covers` by path: messages have the same names again and again. */
  private readonly coverByPath = new Map<string, boolean>();

  constructor(
    readonly paths: readonly string[],
    private readonly secret: string,
    values: readonly ValuePattern[] = valuePatterns,
  ) {
    this.patterns = paths.map((path) => new MaskPath(path));
    this.values = new Set(values);
  }

  /** A masked value shows its type, its length, and a tag that is the same for the same value within its scope. */
  show(text: string, isMasked: boolean, scope?: TagScope): MaskedJson {
    return cut(isMasked ? this.maskedText(text, scope) : pretty(text), isMasked);
  }

  /** Whether values at a path of this name are masked; such a path must not be filtered by. */
  covers(path: readonly string[]): boolean {
    const names = path.map(normalizeName);
    return this.patterns.some((pattern) => pattern.covers(names));
  }

  private isCovered(path: readonly string[]): boolean {
    const key = path.join('\0');
    if (key.length > maxKnownLength) return this.covers(path);
    let isCovered = this.coverByPath.get(key);
    if (isCovered === undefined) {
      isCovered = this.covers(path);
      if (this.coverByPath.size >= maxKnown) this.coverByPath.clear();
      this.coverByPath.set(key, isCovered);
    }
    return isCovered;
  }

  private shownValue(name: string, text: string, scope: TagScope): string {
    if (text === '') return text;
    return this.isCovered([name]) ? this.tagged(text, scope) : this.withoutValues(text, scope);
  }

  private maskedText(text: string, scope: TagScope | undefined): string {
    try {
      const value = parse(text);
      return stringify(this.maskedValue(value, [], scope ?? readScope(value), 0));
    } catch {
      return JSON.stringify(`${mask} ${text.length} characters that are not JSON`);
    }
  }

  private maskedValue(value: unknown, path: readonly string[], scope: TagScope, depth: number): unknown {
    if (typeof value === 'string') return this.maskedLeaf(value, path, scope, depth);
    if (typeof value === 'number' || JSON.isRawJSON(value)) {
      const text = stringify(value);
      return this.withoutValues(text, scope) === text ? value : this.tagged(value, scope);
    }
    if (Array.isArray(value)) return value.map((entry) => this.maskedValue(entry, path, scope, depth));
    if (!isPlainObject(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, member]) => {
        const segments = splitSegments(name);
        const inner = [...path, ...segments];
        const shownMember = segments.some((_, index) => this.isCovered(inner.slice(0, path.length + index + 1)))
          ? this.tagged(member, scope)
          : this.maskedValue(member, inner, scope, depth);
        return [this.shownName(name, member, scope), shownMember];
      }),
    );
  }

  /** ClickHouse makes members of members of a name with dots, so the end of an address may be in the names below. */
  private shownName(name: string, member: unknown, scope: TagScope): string {
    const isBeginning = isPlainObject(member) && /@|%40/.test(name) && !name.includes('.');
    const shownText = this.withoutValues(isBeginning ? `${name}.com` : name, scope);
    return isBeginning && shownText === `${name}.com` ? name : shownText;
  }

  /** Masks JSON inside of a text by its names, too. */
  private maskedLeaf(text: string, path: readonly string[], scope: TagScope, depth: number): string {
    if (depth < maxDepth && /^\s*[[{]/.test(text)) {
      try {
        return JSON.stringify(this.maskedValue(parse(text), path, scope, depth + 1));
      } catch {
        // The text only looks like JSON.
      }
    }
    return this.withoutValues(text, scope);
  }

  private withoutValues(text: string, scope: TagScope): string {
    return replaceValues(
      text,
      this.values,
      (kind, match) => `‹${kind}, ${match.length}, ${this.makeTag(match, scope)}›`,
    );
  }

  private tagged(value: unknown, scope: TagScope): string {
    const text = typeof value === 'string' ? value : stringify(value);
    const kind = Array.isArray(value)
      ? 'list'
      : value === null
        ? 'null'
        : isPlainObject(value)
          ? 'object'
          : typeof value;
    const shownKind = kind === 'object' && !isPlainObject(value) ? 'number' : kind;
    return `‹${shownKind}, ${text.length}, ${this.makeTag(text, scope)}›`;
  }

  private makeTag(text: string, { source, at }: TagScope): string {
    const scoped = JSON.stringify([source, at.slice(0, 10), text]);
    return createHmac('sha256', this.secret).update(scoped).digest('hex').slice(0, 4);
  }
}

/** The member with values whose names are beyond the bound of a source: docs/api.md#new-names. */
const moreNames = '_more_names';

/** Names in a name: those between dots. The values in `moreNames` are those of its object. */
const splitSegments = (name: string): string[] => (name === moreNames ? [] : name.split('.'));

const noScope: TagScope = { source: '', at: '' };

/** Rows and messages name their source, and the time at which the gateway received them. */
function readScope(value: unknown): TagScope {
  const { source_id: source, received_at: at } = isPlainObject(value) ? value : {};
  return { source: typeof source === 'string' ? source : '', at: typeof at === 'string' ? at : '' };
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
  return { json: json.slice(0, maxLength), isCut: json.length > maxLength, isMasked };
}
