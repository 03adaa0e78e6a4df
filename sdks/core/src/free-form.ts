/** The service's limits for free-form values (docs/api.md, "What is dropped"). */
const maxItems = 256;
const maxMembers = 256;
const maxLevels = 8;

const restrictedName = /^[\w\-.$]{1,64}$/;
/** At most 4,096 code points, without unpaired surrogates; Hermes does not know `\P{Surrogate}`. */
const storableText = /^[^\ud800-\udfff]{0,4096}$/u;

/** Prototype of the copies, in which `__proto__` is an ordinary name. Copies without a prototype take more memory. */
const noPrototype = Object.create(null) as object;

/**
 * Makes a JSON copy of an object without the parts that the service would drop.
 * @param leftOut called with each value that is left out
 * @throws {Error} with the path of a name that breaks its rule, unless names are free
 * @throws whatever a getter or a `toJSON` of the value throws
 */
export function freeForm(given: object, root: string, areNamesFree: boolean, leftOut: (path: string) => void): object {
  let members = 0;

  function objectOf(value: object, path: string, depth: number): object {
    const copy = Object.create(noPrototype) as Record<string, unknown>;
    Object.keys(value).forEach((name) => {
      const member = (value as Record<string, unknown>)[name];
      // JSON has no functions, symbols or undefined.
      if (member === undefined || typeof member === 'function' || typeof member === 'symbol') return;
      const at = `${path}.${name}`;
      if (!areNamesFree && !restrictedName.test(name)) throw new Error(at);
      const parts = name.split('.');
      const level = depth + parts.length - 1;
      if (parts.includes('') || !storableText.test(name) || level > maxLevels || ++members > maxMembers) leftOut(at);
      else {
        const kept = valueOf(member, at, level);
        if (kept !== undefined) copy[name] = kept;
      }
    });
    return copy;
  }

  function valueOf(sent: unknown, path: string, depth: number): unknown {
    const value = jsonOf(sent);
    if (!isStorable(value, depth)) {
      leftOut(path);
      return undefined;
    }
    if (Array.isArray(value)) {
      return value.map((item, at) => valueOf(item, `${path}[${at}]`, depth + 1)).filter((item) => item !== undefined);
    }
    return typeof value === 'object' && value ? objectOf(value, path, depth + 1) : value;
  }

  return objectOf(given, root, 1);
}

/** The value that JSON.stringify would write. */
function jsonOf(value: unknown): unknown {
  const toJSON = typeof value === 'object' && (value as { toJSON?: unknown } | null)?.toJSON;
  return typeof toJSON === 'function' ? (toJSON.call(value) as unknown) : value;
}

function isStorable(value: unknown, depth: number): boolean {
  switch (typeof value) {
    case 'string':
      return storableText.test(value);
    case 'number':
      // Larger whole numbers are not exact.
      return Math.abs(value) <= 2 ** 53;
    case 'object':
      return !value || (depth < maxLevels && !(Array.isArray(value) && value.length > maxItems));
    default:
      return value === true || value === false;
  }
}
