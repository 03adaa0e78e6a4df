/** What clients send to see whether a page runs it, turns around it, or breaks. */
export const hostile = {
  markup: `<img src=x onerror="alert('x')"><script>alert(1)</script>"><svg/onload=alert(2)> javascript:alert(3)`,
  /** Overrides and isolates that are not closed, one that closes what was opened around the text, and Hebrew. */
  turned: '\u2069\u202eevil\u2066\u202b שלום <b>טוב</b>',
  odd: 'a\u0000b\u200bc\ufeffd\u2028e\u00ade\u0301👩\u200d👩',
  unbroken: 'x'.repeat(4_000),
} as const;

/** An object of so many members, with names of markup. */
export const manyKeys = (count: number): Record<string, number> =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`<i>${i}</i>`, i]));

/** Lists in lists: deeper than JSON.stringify of Node could write. */
export const deep = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);
