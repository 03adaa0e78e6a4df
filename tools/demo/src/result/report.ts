import { type LocalStack } from '../local-stack.js';
import { type Sent } from '../sending/tally.js';
import { ask } from './clickhouse.js';
import { queriesFor, type Query } from './queries.js';
import { type Counted } from './stored.js';

export function describeSent({ requests, messages, repeats }: Sent, counted: readonly Counted[]): string {
  const again = repeats === 0 ? 'none of them twice' : `${repeats} of them sent again`;
  const lines = counted.map(({ table, sent, stored }) => {
    const missing = stored < sent ? `  ${sent - stored} are not there yet` : '';
    return `  ${table.padEnd(18)}${thousands(sent)}${thousands(stored)}${missing}`;
  });
  return [
    `${messages.toLocaleString('en-US')} messages in ${requests.toLocaleString('en-US')} requests, ${again}.`,
    '',
    `  ${''.padEnd(18)}${'sent'.padStart(12)}${'stored'.padStart(12)}`,
    ...lines,
  ].join('\n');
}

const thousands = (count: number): string => count.toLocaleString('en-US').padStart(12);

/** Each query as a command to paste, with its current answer. */
export async function describeQueries(stack: LocalStack): Promise<string> {
  const parts = queriesFor(stack.source.sourceIdentifier).map((query) => describeQuery(stack, query));
  return ['Three queries worth running:', ...(await Promise.all(parts))].join('\n\n');
}

async function describeQuery(stack: LocalStack, { title, sql }: Query): Promise<string> {
  const { url, database } = stack.clickhouse;
  const query = `${sql} FORMAT PrettyCompactMonoBlock`;
  const answer = await ask(
    stack,
    `${query} SETTINGS output_format_pretty_color = 0, output_format_pretty_row_numbers = 0`,
  ).catch((error: unknown) => `(ClickHouse refused it: ${(error as Error).message})`);
  return `-- ${title}\ncurl '${url}/?database=${database}' --data-binary "${query}"\n\n${answer}`;
}
