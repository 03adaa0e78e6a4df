import { decimalMustBe, plainDecimal } from '@sluice/contracts';
import { type Problem } from '@sluice/messages';
import { invalidFields } from '../errors/api-error.js';

type Numbers = Readonly<Record<string, number | null | undefined>>;
/** The same fields as text; a missing number gives a missing text. */
type Texts<N extends Numbers> = { [K in keyof N]: N[K] extends number ? string : string | undefined };

/**
 * Returns numbers of a body with every digit that was sent. JSON.parse reads doubles, which hold only 15 to 17 digits;
 * if the body may have more, its number literals are read again.
 * @throws ApiError 400 when a literal has more digits than are stored.
 */
export function exactDecimals<N extends Numbers>(numbers: N, bytes: Buffer | undefined): Texts<N> {
  const body = bytes?.toString() ?? '';
  const literals = mayHaveMoreDigits(body) ? literalsOf(body, Object.keys(numbers)) : undefined;
  const problems: Problem[] = [];
  const texts: Record<string, string | undefined> = {};
  for (const [field, value] of Object.entries(numbers)) {
    if (value === null || value === undefined) continue;
    texts[field] = plainDecimal(literals?.get(field) ?? String(value));
    if (texts[field] === undefined) problems.push({ field, message: `must be ${decimalMustBe}` });
  }
  if (problems.length > 0) throw invalidFields(problems);
  return texts as Texts<N>;
}

/** A double returns up to 15 significant digits as they were written, unless the number is too small for a double. */
const mayHaveMoreDigits = (body: string): boolean => /[\d.]{16}|e-\d{3}/i.test(body);

// The `context` argument (ECMAScript 2026) holds the source text of the value; the library types lack it.
type Reviver = (this: unknown, name: string, value: unknown, context?: { source?: string }) => unknown;

/** Number literals of the members with these names, of the outermost object only. */
function literalsOf(body: string, names: readonly string[]): Map<string, string> {
  const found: { holder: unknown; name: string; source: string }[] = [];
  const note: Reviver = function (name, value, context) {
    if (typeof value === 'number' && names.includes(name)) {
      found.push({ holder: this, name, source: context?.source ?? String(value) });
    }
    return value;
  };
  const root: unknown = JSON.parse(body, note);
  return new Map(found.filter(({ holder }) => holder === root).map(({ name, source }) => [name, source]));
}
