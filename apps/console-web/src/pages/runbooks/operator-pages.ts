/* oxlint-disable sluice/walls -- the pages are data; a build without them must fail */
import operations from '../../../../../docs/operations.md?raw';
import people from '../../../../../docs/people.md?raw';
import runbooks from '../../../../../docs/runbooks.md?raw';
import sources from '../../../../../docs/sources.md?raw';
import spool from '../../../../../docs/spool.md?raw';
import upgrades from '../../../../../docs/upgrades.md?raw';
import variables from '../../../../../docs/variables.md?raw';

const pages: Readonly<Record<string, string>> = { runbooks, operations, people, sources, spool, upgrades, variables };

/** The pages that verdicts and alerts name sections of, as one text. */
export const operatorPages = Object.values(pages).join('\n\n');

/** The anchor that a link on one of the pages leads to, on that page or another of them; undefined for other links. */
export function anchorOnPages(href: string): string | undefined {
  const [, page, anchor] = /^(?:([\w-]+)\.md)?#([\w-]+)$/.exec(href) ?? [];
  return page === undefined || page in pages ? anchor : undefined;
}
