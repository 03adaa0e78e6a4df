/** A line that people read: a line of a page, the comment on a line of code, or the texts on a line of JSON. */
export interface ProseLine {
  readonly number: number;
  readonly text: string;
}

const commentOfScript = /(?:^\s*(?:\/\*\*?|\*)|(?:^|\s)\/\/)(.*)$/;
const commentOfYaml = /(?:^|\s)#(.*)$/;
const commentOfSql = /--(.*)$/;
/** Every value of JSON, from the first text of a line to its last. */
const textOfJson = /"(.*)"/;

const comments: readonly (readonly [files: RegExp, comment: RegExp])[] = [
  [/\.(?:tsx?|mjs|js|kts?|java|swift|gradle|css)$/, commentOfScript],
  [/\.json$/, textOfJson],
  [/\.(?:ya?ml|tpl)$|(?:^|\/)Dockerfile$|(?:^|\/)\.\w+$/, commentOfYaml],
  [/\.sql$/, commentOfSql],
];

/** The lines of a file that people read; none for unknown types of files. */
export function readProse(path: string, content: string): ProseLine[] {
  const lines = content.split('\n').map((text, index) => ({ number: index + 1, text }));
  if (path.endsWith('.md')) return lines;
  const [, comment] = comments.find(([files]) => files.test(path)) ?? [];
  if (!comment) return [];
  return lines.flatMap(({ number, text }) => {
    const [, prose] = comment.exec(text) ?? [];
    return prose === undefined ? [] : [{ number, text: prose }];
  });
}

/** Anchors that GitHub gives the headings of a page. */
export function listAnchors(page: string): Set<string> {
  const anchors = new Set<string>();
  for (const [, heading = ''] of withoutFences(page).matchAll(/^#+ (.+)$/gm)) {
    const anchor = heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-');
    let unique = anchor;
    for (let n = 1; anchors.has(unique); n++) unique = `${anchor}-${n}`;
    anchors.add(unique);
  }
  return anchors;
}

const withoutFences = (page: string): string => page.replaceAll(/^( *)```.*\n[^]*?^\1```$/gm, '');
