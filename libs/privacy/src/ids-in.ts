/** Members whose values are ids of people, in a text that need not be whole or valid JSON. */
const member =
  /"(?:userId|anonymousId|previousId|user_id|anonymous_id)"\s*:\s*(?:("(?:[^"\\]|\\.){1,2000}")|(-?[0-9][0-9.eE+-]{0,40}))/g;
const maxIds = 2_000;

/** Ids of people in what a client sent, up to 2,000. */
export function idsIn(text: string): string[] {
  const ids = new Set<string>();
  for (const [, quoted, number] of text.matchAll(member)) {
    const id = quoted === undefined ? number : textOf(quoted);
    if (id !== undefined) ids.add(id);
    if (ids.size >= maxIds) break;
  }
  return [...ids];
}

function textOf(quoted: string): string | undefined {
  try {
    return JSON.parse(quoted) as string;
  } catch {
    return undefined;
  }
}
