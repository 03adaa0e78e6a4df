import { decimalMustBe, plainDecimal } from '@sluice/contracts';
import { joinPath, type Report } from '@sluice/messages';

type Numbers = Readonly<Record<string, number | null | undefined>>;
/** The same fields as text; a missing number gives a missing text. */
type Texts<N extends Numbers> = { [K in keyof N]: N[K] extends number ? string : string | undefined };

/** A message whose numbers are read, as its client sent it. */
interface SentMessage {
  /** The message as JSON text; empty if its place in the body is not known. */
  text: string;
  /** Its path in the body of the request. */
  path: string;
}

const listIsTwice = 'cannot be read with every digit: the body has its list twice';

/**
 * Returns numbers of a message with every digit that was sent. JSON.parse reads doubles, which hold only 15 to 17 digits;
 * if the message may have more, its number literals are read again.
 * @returns undefined when a literal has more digits than are stored; the report says which.
 */
export function exactDecimals<N extends Numbers>(
  numbers: N,
  { text, path }: SentMessage,
  report: Report,
): Texts<N> | undefined {
  const names = Object.keys(numbers);
  if (text === '') {
    for (const field of names)
      if (typeof numbers[field] === 'number') report.refuse(joinPath(path, field), listIsTwice);
    return undefined;
  }
  const literals = mayHaveMoreDigits(text) ? readLiterals(text, names) : undefined;
  const texts: Record<string, string | undefined> = {};
  for (const [field, value] of Object.entries(numbers)) {
    if (value === null || value === undefined) continue;
    texts[field] = plainDecimal(literals?.get(field) ?? String(value));
    if (texts[field] === undefined) report.refuse(joinPath(path, field), `must be ${decimalMustBe}`);
  }
  return report.problems.length > 0 ? undefined : (texts as Texts<N>);
}

/** A double returns up to 15 significant digits as they were written, unless the number is too small for a double. */
const mayHaveMoreDigits = (text: string): boolean => /[\d.]{16}|e-\d{3}/i.test(text);

// The `context` argument (ECMAScript 2026) holds the source text of the value; the library types lack it.
type Reviver = (this: unknown, name: string, value: unknown, context?: { source?: string }) => unknown;

/** Number literals of the members with these names, of the outermost object only. */
function readLiterals(text: string, names: readonly string[]): Map<string, string> {
  const literals: { holder: unknown; name: string; source: string }[] = [];
  const collect: Reviver = function (name, value, context) {
    if (typeof value === 'number' && names.includes(name)) {
      literals.push({ holder: this, name, source: context?.source ?? String(value) });
    }
    return value;
  };
  const root: unknown = JSON.parse(text, collect);
  return new Map(literals.filter(({ holder }) => holder === root).map(({ name, source }) => [name, source]));
}
