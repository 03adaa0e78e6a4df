import { lexer, type MarkedToken, type Token, type Tokens } from 'marked';

export type Heading = Tokens.Heading & { id: string };
/** A block of a page of docs; a heading has the anchor that GitHub gives it. */
export type TextBlock = Exclude<MarkedToken, Tokens.Heading> | Heading;

/** The kinds of tokens that the library makes without extensions. */
export const asMarkedTokens = (tokens: readonly Token[] = []): readonly MarkedToken[] =>
  tokens as readonly MarkedToken[];

export function readBlocks(page: string): TextBlock[] {
  const used = new Set<string>();
  return asMarkedTokens(lexer(page)).map((token) => {
    if (token.type !== 'heading') return token;
    const anchor = plainText(token.tokens)
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-');
    let id = anchor;
    for (let n = 1; used.has(id); n++) id = `${anchor}-${n}`;
    used.add(id);
    return { ...token, id };
  });
}

/** Blocks of the section with this anchor, its heading first; empty if there is none. */
export function findSection(blocks: readonly TextBlock[], id: string): TextBlock[] {
  const start = blocks.findIndex((block) => block.type === 'heading' && block.id === id);
  const heading = blocks[start];
  if (heading?.type !== 'heading') return [];
  const after = blocks.slice(start + 1);
  const end = after.findIndex((block) => block.type === 'heading' && block.depth <= heading.depth);
  return [heading, ...(end < 0 ? after : after.slice(0, end))];
}

/** The text of tokens, without their marks. */
export const plainText = (tokens: readonly Token[] | undefined): string =>
  asMarkedTokens(tokens)
    .map((token) => ('tokens' in token && token.tokens ? plainText(token.tokens) : 'text' in token ? token.text : ''))
    .join('');
