import { fileURLToPath } from 'node:url';

export const variablesPage = fileURLToPath(new URL('../../../docs/variables.md', import.meta.url));
export const command = 'npm run docs:variables';

const begin = `<!-- variables: written by \`${command}\` from the apps' configs; do not edit below -->`;
const end = '<!-- variables end -->';

/** Puts the section between the page's markers. @throws Error when the page has no markers. */
export function withSection(page: string, section: string): string {
  const [from, to] = [page.indexOf(begin), page.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`the page has no section between\n${begin}\n${end}`);
  return `${page.slice(0, from + begin.length)}\n\n${section}\n\n${page.slice(to)}`;
}
