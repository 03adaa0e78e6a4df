// The part of node:assert that the runner of the vectors uses.
const textOf = (value) => {
  try {
    return JSON.stringify(value);
  } catch {
    return String(value);
  }
};

const isSame = (one, other) => {
  if (Object.is(one, other)) return true;
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false;
  if (Array.isArray(one) !== Array.isArray(other)) return false;
  const names = Object.keys(one);
  return (
    names.length === Object.keys(other).length && names.every((name) => name in other && isSame(one[name], other[name]))
  );
};

const check = (holds, actual, expected, message) => {
  if (!holds) throw new Error(`${message}: ${textOf(actual)} is not ${textOf(expected)}`);
};

export const strict = {
  equal: (actual, expected, message) => check(Object.is(actual, expected), actual, expected, message),
  deepEqual: (actual, expected, message) => check(isSame(actual, expected), actual, expected, message),
};
