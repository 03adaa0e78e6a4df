import { type Variables } from '@sluice/service';
import { type AppVariables } from './app-variables.js';
import { markdownTable } from './markdown-table.js';

/** Makes the table of all variables; apps that declare a variable in the same way share its row. */
export function variablesSection(apps: readonly AppVariables[]): string {
  const declared = apps.flatMap(({ app, variables }) => describeVariables(variables).map((row) => ({ app, row })));
  const groups = Map.groupBy(declared, ({ row }) => JSON.stringify(row));
  const rows = [...groups.values()].map((readers) => {
    const [name = '', fallback = '', meaning = ''] = readers[0]?.row ?? [];
    const names = readers.length === apps.length ? 'all' : readers.map(({ app }) => app).join(', ');
    return [name, names, fallback, meaning];
  });
  rows.sort(([first = ''], [second = '']) => first.localeCompare(second, 'en'));
  return markdownTable(['variable', 'read by', 'default', 'meaning'], rows);
}

/** A row of name, default and meaning for each variable. */
const describeVariables = (variables: Variables): string[][] =>
  Object.entries(variables).map(([name, spec]) => {
    const { desc = '', example, choices } = spec as Spec;
    const choice = choices ? `: ${choices.map(code).join(', ')}` : '';
    const sample = example === undefined ? '' : ` (${code(example)})`;
    return [code(name), describeDefault(spec), `${desc}${choice}${sample}`];
  });

/** The declaration that envalid keeps of a variable. */
interface Spec {
  readonly desc?: string;
  readonly example?: string;
  readonly choices?: readonly unknown[];
  readonly default?: unknown;
}

function describeDefault(spec: Spec): string {
  if (!('default' in spec)) return '**required**';
  const { default: value } = spec;
  const isPlain = ['string', 'number', 'boolean'].includes(typeof value);
  return isPlain && value !== '' ? code(value) : 'none';
}

const code = (value: unknown): string => `\`${String(value)}\``;
