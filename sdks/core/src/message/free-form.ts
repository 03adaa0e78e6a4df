/** Largest accepted size of a message's text. */
export const maxMessageBytes = 32 * 1_024;

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
 * @throws {Error} with the path of a name that breaks its rule, unless names are free; `size` for a value that is larger
 *   than a message
 * @throws whatever a getter or a `toJSON` of the value throws
 */
export function copyFreeForm(
  original: object,
  root: string,
  areNamesFree: boolean,
  leftOut: (path: string) => void,
): object {
  let members = 0;
  /** A lower bound of the bytes of the copy: lists of lists would make a huge copy before it is measured. */
  let bytes = 0;
  const grow = (size: number): void => {
    bytes += size;
    if (bytes > maxMessageBytes) throw new Error('size');
  };

  function copyObject(value: object, path: string, depth: number): object {
    const copy = Object.create(noPrototype) as Record<string, unknown>;
    Object.keys(value).forEach((name) => {
      const member = (value as Record<string, unknown>)[name];
      // JSON has no functions, symbols or undefined.
      if (member === undefined || typeof member === 'function' || typeof member === 'symbol') return;
      const memberPath = `${path}.${name}`;
      if (!areNamesFree && !restrictedName.test(name)) throw new Error(memberPath);
      const parts = name.split('.');
      const level = depth + parts.length - 1;
      if (parts.includes('') || !storableText.test(name) || level > maxLevels || ++members > maxMembers)
        leftOut(memberPath);
      else {
        const memberCopy = copyValue(member, memberPath, level);
        if (memberCopy !== undefined) copy[name] = memberCopy;
      }
    });
    return copy;
  }

  function copyValue(source: unknown, path: string, depth: number): unknown {
    const value = toJsonValue(source);
    const isKept = isStorable(value, depth);
    grow(isKept && typeof value === 'string' ? value.length + 2 : 2);
    if (!isKept) {
      leftOut(path);
      return undefined;
    }
    if (Array.isArray(value)) {
      return value
        .map((item, index) => copyValue(item, `${path}[${index}]`, depth + 1))
        .filter((item) => item !== undefined);
    }
    return typeof value === 'object' && value ? copyObject(value, path, depth + 1) : value;
  }

  return copyObject(original, root, 1);
}

/** The value that JSON.stringify would write. */
function toJsonValue(value: unknown): unknown {
  const toJSON = typeof value === 'object' && value !== null && 'toJSON' in value && value.toJSON;
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
