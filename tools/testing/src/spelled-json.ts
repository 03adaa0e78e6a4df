import { type Random } from './random.js';

const short: Readonly<Record<string, string>> = {
  ...{ '"': '\\"', '\\': '\\\\', '/': '\\/', '\b': '\\b', '\f': '\\f' },
  ...{ '\n': '\\n', '\r': '\\r', '\t': '\\t' },
};

/** A text in one of the many ways in which JSON may spell it. */
export function spellText(random: Random, text: string): string {
  const mostly = random.next();
  return `"${text
    .split('')
    .map((unit) => spellUnit(random, unit, mostly))
    .join('')}"`;
}

function spellUnit(random: Random, unit: string, escapes: number): string {
  const mustEscape = unit === '"' || unit === '\\' || unit < ' ' || !unit.isWellFormed();
  if (!mustEscape && !random.chance(escapes)) return unit;
  const shortEscape = short[unit];
  if (shortEscape !== undefined && random.chance(0.5)) return shortEscape;
  const digits = unit.charCodeAt(0).toString(16).padStart(4, '0');
  return `\\u${Array.from(digits, (digit) => (random.chance(0.5) ? digit.toUpperCase() : digit)).join('')}`;
}

/** White space that JSON allows, mostly none. */
export const spellSpace = (random: Random): string =>
  random.chance(0.6)
    ? ''
    : Array.from({ length: random.below(4) }, () => random.pick([' ', '\t', '\n', '\r'])).join('');

/** A member of an object in any spelling. A whole number may be spelt as one. */
export function spellMember(random: Random, name: string, value: string): string {
  const isNumber = /^(?:0|[1-9][0-9]{0,14})$/.test(value) && random.chance(0.7);
  const spelt = isNumber
    ? random.pick([value, `${value}.0`, `${value}e0`, `${value}.00E+0`])
    : spellText(random, value);
  const space = (): string => spellSpace(random);
  return `${space()}${spellText(random, name)}${space()}:${space()}${spelt}${space()}`;
}
