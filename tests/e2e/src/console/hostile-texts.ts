/** Texts from clients that try to run in a page, to reorder it or to break its layout. */
export const hostile = {
  markup: `<img src=x onerror="alert('x')"><script>alert(1)</script>"><svg/onload=alert(2)> javascript:alert(3)`,
  /** Unclosed overrides and isolates, a mark that closes the isolate around the text, and Hebrew. */
  turned: '\u2069\u202eevil\u2066\u202b שלום <b>טוב</b>',
  odd: 'a\u0000b\u200bc\ufeffd\u2028e\u00ade\u0301👩\u200d👩',
  unbroken: 'x'.repeat(4_000),
} as const;

/** An object with `count` members whose names are markup. */
export const manyKeys = (count: number): Record<string, number> =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`<i>${i}</i>`, i]));

/** JSON of nested lists, as text because JSON.stringify fails on deep values. */
export const deep = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);
