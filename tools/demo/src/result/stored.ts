import { setTimeout as sleep } from 'node:timers/promises';
import { type LocalStack } from '../local-stack.js';
import { type Sent } from '../sending/tally.js';
import { ask } from './clickhouse.js';

/** Rows of one table: how many were sent and how many are stored. */
export interface Counted {
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
export async function countStored(stack: LocalStack, run: Run, sent: Sent, timeoutMs: number): Promise<Counted[]> {
  const giveUpAt = Date.now() + timeoutMs;
  for (;;) {
    const counted = await count(stack, run, sent);
    if (counted.every((one) => one.stored >= one.sent) || Date.now() > giveUpAt) return counted;
    await sleep(500);
  }
}

async function count(stack: LocalStack, { name, startedAt }: Run, sent: Sent): Promise<Counted[]> {
  const since = `source_id = '${stack.source.sourceIdentifier}' AND received_at >= fromUnixTimestamp64Milli(${startedAt})`;
  const { entities } = sent;
  const wanted: readonly (readonly [table: string, sent: number, count: string, where: string])[] = [
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
  const query = wanted.map(([table, , of, where]) => `SELECT '${table}', ${of} FROM ${table} WHERE ${where}`);
  const answer = await ask(stack, `${query.join('\nUNION ALL\n')}\nFORMAT TabSeparated`);
  const stored = new Map(answer.split('\n').map((line) => line.split('\t') as [string, string]));
  return wanted.map(([table, itsSent]) => ({ table, sent: itsSent, stored: Number(stored.get(table)) }));
}
