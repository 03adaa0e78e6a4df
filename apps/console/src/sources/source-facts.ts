import { Injectable } from '@nestjs/common';
import { type Arrivals, type SourceSetup, type SourceSummary } from '@sluice/console-api';
import { type ConsoleConfig } from '../config.js';
import { type Range } from '../http/range.js';
import { Payloads } from '../payload/payloads.js';
import { RefusedReader } from '../refused/refused-reader.js';
import { isoOf, Tables, timeParameter } from '../servers/tables.js';
import { type CurrentUser } from '../session/current-user.js';

const hourMs = 3_600_000;
type Facts = Pick<SourceSummary, 'eventsLastHour' | 'refusedLastHour' | 'newestReceived'>;
const unknownFacts: Facts = { eventsLastHour: null, refusedLastHour: null, newestReceived: null };

/** Tables whose rows a source sends, with the text that names a row. */
const arrivalTables = [
  { table: 'events', name: 'event' },
  { table: 'identifies', name: "'identify'" },
  { table: 'sellers', name: "'seller'" },
  { table: 'products', name: "'product'" },
  { table: 'product_variants', name: "'productVariant'" },
  { table: 'categories', name: "'category'" },
  { table: 'general_entities', name: "'general'" },
];

/** What the tables know of sources. */
@Injectable()
export class SourceFacts {
  constructor(
    private readonly config: ConsoleConfig,
    private readonly tables: Tables,
    private readonly refused: RefusedReader,
    private readonly payloads: Payloads,
  ) {}

  setup(): SourceSetup {
    const gatewayUrl = this.config.GATEWAY_URL.replace(/\/$/, '');
    return { gatewayUrl, scriptUrl: `${gatewayUrl}/sdk/0/sluice.js` };
  }

  /** Facts of each source; unknown ones while ClickHouse is unreachable. */
  async ofAll(user: CurrentUser): Promise<(id: string) => Facts> {
    const range: Range = { from: new Date(Date.now() - hourMs), to: new Date() };
    const from = timeParameter(range.from);
    const newest = arrivalTables.map(
      ({ table }) => `SELECT source_id, count() AS rows, max(received_at) AS newest FROM ${table}
        WHERE stored_at >= {from:DateTime64(3)} GROUP BY source_id`,
    );
    try {
      const [rows, groups] = await Promise.all([
        this.tables.select<{ source: string; total: string; received: string }>(
          user,
          `SELECT source_id AS source, sum(rows) AS total, max(newest) AS received
           FROM (${newest.join(' UNION ALL ')}) GROUP BY source`,
          { from },
        ),
        this.refused.groups(user, range),
      ]);
      const known = new Map(rows.map((row) => [row.source, row]));
      return (id) => {
        const row = known.get(id);
        const ofSource = groups.filter(({ sourceIdentifier, kind }) => sourceIdentifier === id && kind === 'refused');
        const refusedLastHour = ofSource.reduce((sum, { count }) => sum + count, 0);
        const newestReceived = row ? isoOf(row.received) : null;
        return { eventsLastHour: Number(row?.total ?? 0), refusedLastHour, newestReceived };
      };
    } catch {
      return () => unknownFacts;
    }
  }

  /** Rows of the source that came since midnight, UTC; null while ClickHouse is unreachable. */
  async messagesToday(user: CurrentUser, source: string): Promise<number | null> {
    const counts = arrivalTables.map(
      ({ table }) => `SELECT count() AS rows FROM ${table}
        WHERE source_id = {source:String} AND stored_at >= toStartOfDay(now('UTC')) AND received_at >= toStartOfDay(now('UTC'))`,
    );
    try {
      const query = `SELECT sum(rows) AS total FROM (${counts.join(' UNION ALL ')})`;
      const [row] = await this.tables.select<{ total: string }>(user, query, { source });
      return Number(row?.total ?? 0);
    } catch {
      return null;
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
      return new Map(rows.map(({ key_id: key, last }) => [key, isoOf(last)]));
    } catch {
      return undefined;
    }
  }

  /** What a source has sent since a time, newest first. */
  async arrivals(user: CurrentUser, source: string, since: Date): Promise<Arrivals> {
    const from = timeParameter(since);
    const stored = arrivalTables.map(
      ({
        table,
        name,
      }) => `SELECT toString(request_id) AS requestId, received_at AS at, stored_at AS storedAt, ${name} AS event
        FROM ${table} WHERE source_id = {source:String} AND stored_at >= {from:DateTime64(3)} ORDER BY stored_at DESC LIMIT 20`,
    );
    const [rows, refused] = await Promise.all([
      this.tables.select<Arrivals['stored'][number]>(
        user,
        `SELECT * FROM (${stored.map((one) => `SELECT * FROM (${one})`).join(' UNION ALL ')}) ORDER BY storedAt DESC LIMIT 20`,
        { source, from },
      ),
      this.refused.samples(user, { from: since, to: new Date(Date.now() + 60_000), source }, 20),
    ]);
    const shown = rows.map(({ event, ...row }) => {
      const [at, storedAt] = [isoOf(row.at), isoOf(row.storedAt)];
      return { ...row, at, storedAt, event: this.payloads.masked.value('event', event, { source, at }) };
    });
    return { stored: shown, refused };
  }
}
