const quotes = new Set(["'", '`', '"']);
const opening = new Set(['(', '[', '{']);
const closing = new Set([')', ']', '}']);

/** Index behind the quoted text that begins at `from`. ClickHouse escapes a quote by a backslash or by doubling it. */
function endOfQuoted(sql: string, from: number): number {
  const quote = sql[from];
  for (let i = from + 1; i < sql.length; i++) {
    if (sql[i] === '\\') i++;
    else if (sql[i] === quote) {
      if (sql[i + 1] !== quote) return i + 1;
      i++;
    }
  }
  return sql.length;
}

/** The statement without comments, which may have brackets and quotes of their own. */
export function withoutComments(sql: string): string {
  let text = '';
  for (let i = 0; i < sql.length;) {
    if (quotes.has(sql[i] ?? '')) {
      const end = endOfQuoted(sql, i);
      text += sql.slice(i, end);
      i = end;
    } else if (sql.startsWith('--', i) || sql.startsWith('/*', i)) {
      const mark = sql.startsWith('--', i) ? '\n' : '*/';
      const end = sql.indexOf(mark, i + 2);
      text += ' ';
      i = end < 0 ? sql.length : end + (mark === '\n' ? 0 : mark.length);
    } else text += sql.charAt(i++);
  }
  return text;
}

/** Splits a text without comments at the commas that are outside of brackets and quotes. */
export function splitList(text: string): string[] {
  const parts: string[] = [];
  let [depth, start] = [0, 0];
  for (let i = 0; i < text.length;) {
    const sign = text[i] ?? '';
    if (quotes.has(sign)) {
      i = endOfQuoted(text, i);
      continue;
    }
    if (opening.has(sign)) depth++;
    if (closing.has(sign)) depth--;
    if (sign === ',' && depth === 0) {
      parts.push(text.slice(start, i).trim());
      start = i + 1;
    }
    i++;
  }
  parts.push(text.slice(start).trim());
  return parts.filter((part) => part !== '');
}

/** The text within the bracket that `text` begins with, and what follows it; undefined unless it begins with one. */
export function splitBracket(text: string): { inside: string; rest: string } | undefined {
  if (!text.startsWith('(')) return undefined;
  let depth = 0;
  for (let i = 0; i < text.length;) {
    const sign = text[i] ?? '';
    if (quotes.has(sign)) {
      i = endOfQuoted(text, i);
      continue;
    }
    if (opening.has(sign)) depth++;
    if (closing.has(sign) && --depth === 0) return { inside: text.slice(1, i), rest: text.slice(i + 1) };
    i++;
  }
  return undefined;
}
