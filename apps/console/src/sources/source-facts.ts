import { Injectable } from '@nestjs/common';
import { toClickHouseTime, toIso } from '@sluice/clickhouse';
import { type Arrivals, type SourceDetail, type SourceSetup } from '@sluice/console-api';
import { type ConsoleConfig } from '../config.js';
import { Payloads } from '../payload/payloads.js';
import { RefusedReader } from '../refused/refused-reader.js';
import { Tables } from '../servers/tables.js';
import { type CurrentUser } from '../session/current-user.js';
import { type ActivityOf, SourceActivity } from './source-activity.js';

type Today = Pick<SourceDetail, 'messagesToday' | 'peopleToday'>;

/** Tables whose rows a source sends, the text that names a row, and whether the quota of people counts it. */
const arrivalTables: readonly { table: string; name: string; people?: string }[] = [
  { table: 'events', name: 'event', people: "event = 'bb_notification_registered'" },
  { table: 'identifies', name: "'identify'", people: '1' },
  { table: 'sellers', name: "'seller'" },
  { table: 'products', name: "'product'" },
  { table: 'product_variants', name: "'productVariant'" },
  { table: 'categories', name: "'category'" },
  { table: 'general_entities', name: "'general'" },
];

/** Reads facts about sources from the tables. */
@Injectable()
export class SourceFacts {
  constructor(
    private readonly config: ConsoleConfig,
    private readonly tables: Tables,
    private readonly refused: RefusedReader,
    private readonly payloads: Payloads,
    private readonly sourceActivity: SourceActivity,
  ) {}

  setup(): SourceSetup {
    const gatewayUrl = this.config.GATEWAY_URL.replace(/\/$/, '');
    return { gatewayUrl, scriptUrl: `${gatewayUrl}/sdk/0/sluice.js` };
  }

  /** Activity of sources in the last hour; undefined while ClickHouse is unreachable. */
  activity(user: CurrentUser): Promise<ActivityOf | undefined> {
    return this.sourceActivity.lastHour(user).catch(() => undefined);
  }

  /** Numbers of rows of the source that came since midnight, UTC; null while ClickHouse is unreachable. */
  async messagesToday(user: CurrentUser, source: string): Promise<Today> {
    const counts = arrivalTables.map(
      ({ table, people = '0' }) => `SELECT count() AS rows, sum(${people}) AS ofPeople FROM ${table}
        WHERE source_id = {source:String} AND stored_at >= toStartOfDay(now('UTC')) AND received_at >= toStartOfDay(now('UTC'))`,
    );
    try {
      const query = `SELECT sum(rows) AS total, sum(ofPeople) AS people FROM (${counts.join(' UNION ALL ')})`;
      const [row] = await this.tables.select<{ total: string; people: string }>(user, query, { source });
      return { messagesToday: Number(row?.total ?? 0), peopleToday: Number(row?.people ?? 0) };
    } catch {
      return { messagesToday: null, peopleToday: null };
    }
  }

  /** Time of the last use of each key of the source, within 30 days; undefined while ClickHouse is unreachable. */
  async keyUses(user: CurrentUser, source: string): Promise<ReadonlyMap<string, string> | undefined> {
    try {
      const rows = await this.tables.select<{ key_id: string; last: string }>(
        user,
        `SELECT toString(reason) AS key_id, max(received_at) AS last FROM refused_requests
         WHERE kind = 'count' AND counted = 'key' AND source_id = {source:String} GROUP BY key_id`,
        { source },
      );
      return new Map(rows.map(({ key_id: key, last }) => [key, toIso(last)]));
    } catch {
      return undefined;
    }
  }

  /** Arrivals of a source since a time, newest first. */
  async arrivals(user: CurrentUser, source: string, since: Date): Promise<Arrivals> {
    const from = toClickHouseTime(since);
    const stored = arrivalTables.map(
      ({
        table,
        name,
      }) => `SELECT toString(request_id) AS requestId, received_at AS at, stored_at AS storedAt, ${name} AS event
        FROM ${table} WHERE source_id = {source:String} AND stored_at >= {from:DateTime64(3)} ORDER BY stored_at DESC LIMIT 20`,
    );
    const [rows, { samples: refused }] = await Promise.all([
      this.tables.select<Arrivals['stored'][number]>(
        user,
        `SELECT * FROM (${stored.map((query) => `SELECT * FROM (${query})`).join(' UNION ALL ')}) ORDER BY storedAt DESC LIMIT 20`,
        { source, from },
      ),
      this.refused.samples(user, { from: since, to: new Date(Date.now() + 60_000), source }, 20),
    ]);
    const maskedRows = rows.map(({ event, ...row }) => {
      const [at, storedAt] = [toIso(row.at), toIso(row.storedAt)];
      return { ...row, at, storedAt, event: this.payloads.masked.value('event', event, { source, at }) };
    });
    return { stored: maskedRows, refused };
  }
}
