import { type Variables } from '@sluice/service';
import { type AppVariables } from './app-variables.js';
import { markdownTable } from './markdown-table.js';

/** Makes a table for each app; apps with the same variables share one. */
export function variablesSection(apps: readonly AppVariables[]): string {
  const groups = Map.groupBy(apps, ({ variables }) => JSON.stringify(rowsOf(variables)));
  return [...groups.values()]
    .map((group) => {
      const names = group.map(({ app }) => app).join(', ');
      const table = markdownTable(['variable', 'default', 'meaning'], rowsOf(group[0]?.variables ?? {}));
      return `### ${names}\n\n${table}`;
    })
    .join('\n\n');
}

const rowsOf = (variables: Variables): string[][] =>
  Object.entries(variables).map(([name, spec]) => {
    const { desc = '', example, choices } = spec as Spec;
    const choice = choices ? `: ${choices.map(code).join(', ')}` : '';
    const sample = example === undefined ? '' : ` (${code(example)})`;
    return [code(name), defaultOf(spec), `${desc}${choice}${sample}`];
  });

/** The declaration that envalid keeps of a variable. */
interface Spec {
  readonly desc?: string;
  readonly example?: string;
  readonly choices?: readonly unknown[];
  readonly default?: unknown;
}

function defaultOf(spec: Spec): string {
  if (!('default' in spec)) return '**required**';
  const { default: value } = spec;
  const isPlain = ['string', 'number', 'boolean'].includes(typeof value);
  return isPlain && value !== '' ? code(value) : 'none';
}

const code = (value: unknown): string => `\`${String(value)}\``;
