/**
 * Characters that are invisible or change the direction of what follows. The joiners of Persian and of emoji are not
 * among them (U+200C, U+200D), nor the marks of direction, which are weak (U+200E, U+200F).
 */
const hidden = /[\p{Cc}\u00ad\u061c\u180e\u200b\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/u;
const lines = /[\n\r\t]/;
/** A text of invisible characters alone must not fill the page with elements. */
const maxCodes = 200;

export interface Part {
  /** `rest` is what follows when there are too many codes: as it is, in a box of its own. */
  kind: 'text' | 'code' | 'rest';
  text: string;
}

/** Splits a text before and after each invisible character. The parts together are the text. */
export function splitParts(text: string, keepLines: boolean): Part[] {
  const parts: Part[] = [];
  let codes = 0;
  let from = 0;
  const every = new RegExp(hidden, 'gu');
  for (const { index, 0: character } of text.matchAll(every)) {
    if (keepLines && lines.test(character)) continue;
    if (index > from) parts.push({ kind: 'text', text: text.slice(from, index) });
    from = index;
    if (++codes > maxCodes) break;
    parts.push({ kind: 'code', text: character });
    from += character.length;
  }
  if (from < text.length) parts.push({ kind: codes > maxCodes ? 'rest' : 'text', text: text.slice(from) });
  return parts;
}
