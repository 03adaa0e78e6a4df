import { randomUUID } from 'node:crypto';
import { type KeyRing, PushTokens } from '@sluice/push-tokens';
import { type EventsLedger } from './events-ledger.js';
import { type LoadCall } from './http-generator.js';

const paths = { delivered: 'delivered', clicked: 'click', closed: 'close', failed: 'failed', opened: 'open' } as const;
const interactions = Object.keys(paths) as (keyof typeof paths)[];
const campaigns = 5;
const notifications = 300;

/**
 * Each call is a callback of the next notification. When all interactions are reported they are reported again, as by
 * SDKs that deliver at least once. The id of a call is the campaign, the interaction and the notification.
 */
export async function pushCalls(keys: KeyRing, source: string): Promise<() => LoadCall> {
  const tokens = new PushTokens({ PUSH_TOKEN_KEYS: keys, PUSH_TOKEN_ACTIVE_KEY: '' });
  const claims = { source, variation: 'a', profile: 'p', channel: 'web-push', provider: 'fcm' };
  const sealed = await Promise.all(
    Array.from({ length: notifications }, (_, i) =>
      tokens.seal({
        ...claims,
        notificationId: randomUUID(),
        campaign: `c${i % campaigns}`,
        issuedAt: Date.now() - 60_000,
      }),
    ),
  );
  let n = 0;
  return () => {
    const notification = n % notifications;
    const interaction = interactions[Math.floor(n++ / notifications) % interactions.length] ?? 'delivered';
    const path = `general/${paths[interaction]}?token=${sealed[notification] ?? ''}`;
    return { method: 'GET', path, ids: [`c${notification % campaigns} ${interaction} ${notification}`] };
  };
}

/** Number of interactions of each kind in each campaign. */
export function countByCampaign(acknowledged: ReadonlySet<string>): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const id of acknowledged) {
    const cell = id.slice(0, id.lastIndexOf(' '));
    counts[cell] = (counts[cell] ?? 0) + 1;
  }
  return counts;
}

/** The same numbers from the statistics of campaigns. */
export async function countedByStats(ledger: EventsLedger): Promise<Record<string, number>> {
  const sums = interactions.map((interaction) => `toUInt32(sum(${interaction})) AS ${interaction}`).join();
  const rows = await ledger.select<Record<string, string | number>>(
    `SELECT campaign_id, ${sums} FROM push_campaign_stats GROUP BY campaign_id`,
  );
  const cells = rows.flatMap((row) =>
    interactions.map((name) => [`${String(row['campaign_id'])} ${name}`, Number(row[name])] as const),
  );
  return Object.fromEntries(cells.filter(([, count]) => count > 0));
}
