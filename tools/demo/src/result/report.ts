import { type RunningStack } from '../local-stack.js';
import { type SentCounts } from '../sending/tally.js';
import { queryClickHouse } from './clickhouse.js';
import { exampleQueries, type ExampleQuery } from './queries.js';
import { type TableCount } from './stored.js';

export function describeSent({ requests, messages, repeats }: SentCounts, tableCounts: readonly TableCount[]): string {
  const repeatsText = repeats === 0 ? 'none of them twice' : `${repeats} of them sent again`;
  const lines = tableCounts.map(({ table, sent, stored }) => {
    const missing = stored < sent ? `  ${sent - stored} are not there yet` : '';
    return `  ${table.padEnd(18)}${formatThousands(sent)}${formatThousands(stored)}${missing}`;
  });
  return [
    `${messages.toLocaleString('en-US')} messages in ${requests.toLocaleString('en-US')} requests, ${repeatsText}.`,
    '',
    `  ${''.padEnd(18)}${'sent'.padStart(12)}${'stored'.padStart(12)}`,
    ...lines,
  ].join('\n');
}

const formatThousands = (count: number): string => count.toLocaleString('en-US').padStart(12);

/** Each query as a command to paste, with its current answer. */
export async function describeQueries(stack: RunningStack): Promise<string> {
  const parts = exampleQueries(stack.source.sourceIdentifier).map((query) => describeQuery(stack, query));
  return ['Three queries worth running:', ...(await Promise.all(parts))].join('\n\n');
}

async function describeQuery(stack: RunningStack, { title, sql }: ExampleQuery): Promise<string> {
  const { url, database } = stack.clickhouse;
  const query = `${sql} FORMAT PrettyCompactMonoBlock`;
  const answer = await queryClickHouse(
    stack,
    `${query} SETTINGS output_format_pretty_color = 0, output_format_pretty_row_numbers = 0`,
  ).catch((error: unknown) => `(ClickHouse refused it: ${(error as Error).message})`);
  return `-- ${title}\ncurl '${url}/?database=${database}' --data-binary "${query}"\n\n${answer}`;
}
