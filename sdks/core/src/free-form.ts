/** The service's limits for free-form values (docs/api.md, "What is dropped"). */
const bounds = { characters: 4_096, items: 256, depth: 8, members: 256 };

const restrictedName = /^[\w\-.$]{1,64}$/;

/** A name that makes the service refuse the message. */
export class InvalidName extends Error {}

/**
 * Makes a JSON copy without the values that the service would drop, and reports each to `leftOut`.
 * @throws InvalidName if a name breaks its rule, unless names are free
 * @throws whatever a getter or a `toJSON` of the value throws
 */
export class FreeForm {
  private members = 0;

  constructor(
    private readonly areNamesFree: boolean,
    private readonly leftOut: (path: string, why: string) => void,
  ) {}

  object(value: object, path: string, depth = 1): Record<string, unknown> {
    // An object without a prototype treats __proto__ like any other name.
    const copy = Object.create(null) as Record<string, unknown>;
    for (const [name, member] of Object.entries(value)) {
      // JSON has no functions, symbols or undefined.
      if (member === undefined || typeof member === 'function' || typeof member === 'symbol') continue;
      const at = `${path}.${name}`;
      if (!this.areNamesFree && !restrictedName.test(name)) {
        throw new InvalidName(`${at}: names must be 1 to 64 of the characters A-Z a-z 0-9 _ - . $`);
      }
      const parts = name.split('.');
      const level = depth + parts.length - 1;
      if (parts.includes('') || isTooLong(name)) this.leftOut(at, 'the name cannot be stored');
      else if (level > bounds.depth) this.leftOut(at, `deeper than ${bounds.depth} levels`);
      else if (++this.members > bounds.members) this.leftOut(at, `over ${bounds.members} members`);
      else {
        const kept = this.value(member, at, level);
        if (kept !== undefined) copy[name] = kept;
      }
    }
    return copy;
  }

  private value(sent: unknown, path: string, depth: number): unknown {
    const value = jsonOf(sent);
    const why = whyNot(value, depth);
    if (why !== undefined) {
      this.leftOut(path, why);
      return undefined;
    }
    if (Array.isArray(value)) {
      return value
        .map((item, at) => this.value(item, `${path}[${at}]`, depth + 1))
        .filter((item) => item !== undefined);
    }
    return typeof value === 'object' && value !== null ? this.object(value, path, depth + 1) : value;
  }
}

/** The value that JSON.stringify would write. */
function jsonOf(value: unknown): unknown {
  const { toJSON } = (typeof value === 'object' && value !== null ? value : {}) as { toJSON?: unknown };
  return typeof toJSON === 'function' ? (toJSON.call(value) as unknown) : value;
}

function whyNot(value: unknown, depth: number): string | undefined {
  if (typeof value === 'string') return whyNotText(value);
  if (typeof value === 'number') {
    const isInRange = Number.isFinite(value) && (Math.abs(value) <= 2 ** 53 || !Number.isInteger(value));
    return isInRange ? undefined : 'not finite, or a whole number beyond ±2^53';
  }
  if (typeof value === 'boolean' || value === null) return undefined;
  if (typeof value !== 'object') return 'no value of JSON';
  if (depth >= bounds.depth) return `deeper than ${bounds.depth} levels`;
  return Array.isArray(value) && value.length > bounds.items ? `over ${bounds.items} items` : undefined;
}

function whyNotText(text: string): string | undefined {
  if (isTooLong(text)) return `over ${bounds.characters} characters`;
  return isWellFormed(text) ? undefined : 'not well-formed Unicode';
}

/** Counts code points only if necessary: there are never more of them than UTF-16 units. */
const isTooLong = (text: string): boolean =>
  text.length > 2 * bounds.characters ||
  (text.length > bounds.characters && Array.from(text).length > bounds.characters);

/** True if no surrogate is unpaired. Supported browsers lack `String.prototype.isWellFormed`. */
const isWellFormed = (text: string): boolean =>
  !/[\ud800-\udbff](?![\udc00-\udfff])|(?:^|[^\ud800-\udbff])[\udc00-\udfff]/.test(text);
