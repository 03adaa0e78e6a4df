import { setTimeout as sleep } from 'node:timers/promises';
import { type RunningStack } from '../local-stack.js';
import { type SentCounts } from '../sending/tally.js';
import { queryClickHouse } from './clickhouse.js';

/** Rows of one table: how many were sent and how many are stored. */
export interface TableCount {
  readonly table: string;
  readonly sent: number;
  readonly stored: number;
}

interface Run {
  readonly name: string;
  /** Start of the run, milliseconds since 1970. */
  readonly startedAt: number;
}

/** Counts until the tables have everything that was sent, at most for `timeoutMs`. */
export async function countStored(
  stack: RunningStack,
  run: Run,
  sent: SentCounts,
  timeoutMs: number,
): Promise<TableCount[]> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const tableCounts = await countTables(stack, run, sent);
    if (tableCounts.every((tableCount) => tableCount.stored >= tableCount.sent) || Date.now() > deadline)
      return tableCounts;
    await sleep(500);
  }
}

async function countTables(stack: RunningStack, { name, startedAt }: Run, sent: SentCounts): Promise<TableCount[]> {
  const since = `source_id = '${stack.source.sourceIdentifier}' AND received_at >= fromUnixTimestamp64Milli(${startedAt})`;
  const { entities } = sent;
  const expected: readonly (readonly [table: string, sent: number, count: string, where: string])[] = [
    ['events', sent.events, 'count()', since],
    ['identifies', sent.identifies, 'count()', since],
    ['sellers', entities.seller, 'uniqExact(seller_id)', since],
    ['categories', entities.category, 'uniqExact(category_id)', since],
    ['products', entities.product, 'uniqExact(product_id)', since],
    ['product_variants', entities.productVariant, 'uniqExact(variant_id)', since],
    ['general_entities', entities.general, 'uniqExact(id)', since],
    [
      'push_interactions',
      sent.interactions,
      'uniqExact(notification_id, interaction)',
      `endsWith(campaign_id, '-${name}')`,
    ],
    ['push_devices', sent.devices, 'uniqExact(device_id, key)', since],
    ['ad_requests', sent.adRequests, 'count()', since],
  ];
  const query = expected.map(
    ([table, , countExpression, condition]) => `SELECT '${table}', ${countExpression} FROM ${table} WHERE ${condition}`,
  );
  const answer = await queryClickHouse(stack, `${query.join('\nUNION ALL\n')}\nFORMAT TabSeparated`);
  const stored = new Map(answer.split('\n').map((line) => line.split('\t') as [string, string]));
  return expected.map(([table, sentCount]) => ({ table, sent: sentCount, stored: Number(stored.get(table)) }));
}
