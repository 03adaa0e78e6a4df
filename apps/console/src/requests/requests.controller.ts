import { Controller, Inject, Param, Query } from '@nestjs/common';
import { type EventPlace, type Journey, type JourneyQuery, type MaskedJson } from '@sluice/console-api';
import {
  findRequest,
  findStored,
  OperationError,
  parseRequestId,
  receivedRange,
  receivedWithin,
  type RequestId,
  type Search,
} from '@sluice/operations';
import { consoleConfig, type ConsoleConfig } from '../config.js';
import { invalid } from '../http/console-error.js';
import { Serves, ActingUser } from '../http/operation.js';
import { Payloads } from '../payload/payloads.js';
import { Reads } from '../payload/reads.js';
import { RefusedReader } from '../refused/refused-reader.js';
import { ServerWatch } from '../servers/servers.js';
import { Tables } from '../servers/tables.js';
import { type CurrentUser } from '../session/current-user.js';

const unitsMs = { m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** Answers what became of a request. */
@Controller()
export class RequestsController {
  constructor(
    @Inject(consoleConfig) private readonly config: ConsoleConfig,
    private readonly tables: Tables,
    private readonly payloads: Payloads,
    private readonly reads: Reads,
    private readonly refused: RefusedReader,
    private readonly watch: ServerWatch,
  ) {}

  @Serves('GET /api/requests/:id')
  async journey(
    @Param('id') text: string,
    @Query() query: JourneyQuery,
    @ActingUser() user: CurrentUser,
  ): Promise<Journey> {
    const request = requireRequestId(text);
    const { window } = query;
    const isQuick = query.search === 'tables';
    const unreachable = {
      kafka: this.watch.whyUnreachable('kafka'),
      clickhouse: this.watch.whyUnreachable('clickhouse'),
    };
    const [report, refused] = await Promise.all([
      isQuick
        ? findStored(this.config, request, unreachable)
        : findRequest(this.config, request, { ...parseSearch(window), unreachable }),
      this.refused.find(user, request).catch(() => null),
    ]);
    const rows = await this.readRows(user, request, report.events);
    const tables = [...new Set(report.events.map(({ table }) => table ?? ''))].filter(Boolean);
    const { masked } = this.payloads;
    const scope = { source: '', at: report.receivedAt };
    const events = report.events.map(({ reason, ...event }) =>
      reason === undefined ? event : { ...event, reason: masked.value('reason', reason, scope) },
    );
    return {
      ...report,
      events,
      rows,
      refused,
      command: `npm run -s operator -- events find ${request.id}`,
      sql: (tables.length > 0 ? tables : ['events']).map((table) => rowsQuery(table, request.id)).join(';\n'),
    };
  }

  /** The rows of the stored messages. A table that cannot be asked has none. */
  private async readRows(
    user: CurrentUser,
    request: RequestId,
    events: readonly EventPlace[],
  ): Promise<(MaskedJson | null)[]> {
    const tables = new Set(events.flatMap(({ state, table }) => (state === 'stored' && table ? [table] : [])));
    const rowByPlace = new Map<string, string>();
    await Promise.all(
      [...tables].map(async (table) => {
        const query = rowsQuery(table).replace(
          'SELECT *',
          `SELECT toString(kafka_partition) AS p, toString(kafka_offset) AS o, *`,
        );
        const rows = await this.tables
          .select<{ p: string; o: string }>(user, query, { id: request.id, ...receivedWithin(request) })
          .catch(() => [] as { p: string; o: string }[]);
        for (const { p, o, ...row } of rows) rowByPlace.set(`${table}:${p}:${o}`, JSON.stringify(row));
      }),
    );
    const reader = rowByPlace.size > 0 ? await this.reads.as(user, { object: request.id }) : user;
    return events.map(({ table, partition, offset }) => {
      const row = rowByPlace.get(`${table ?? ''}:${partition}:${offset}`);
      return row === undefined ? null : this.payloads.show(row, reader);
    });
  }
}

function requireRequestId(text: string): ReturnType<typeof parseRequestId> {
  try {
    return parseRequestId(text);
  } catch (error) {
    throw error instanceof OperationError ? invalid(error.message) : error;
  }
}

/** Limits received_at, so that few weeks are read. With an id, returns a shorter statement to show. */
const rowsQuery = (table: string, id?: string): string =>
  id === undefined
    ? `SELECT * FROM ${table} WHERE request_id = {id:UUID} AND ${receivedRange} LIMIT 200`
    : `SELECT * FROM ${table} WHERE request_id = '${id}' LIMIT 200`;

/** A window that was asked for is read whole. */
function parseSearch(window: string | undefined): Search {
  if (window === undefined) return {};
  const [, count, unit] = /^(\d{1,3})([mhd])$/.exec(window) ?? [];
  const windowMs = Number(count) * unitsMs[(unit ?? 'm') as keyof typeof unitsMs];
  if (!(windowMs > 0 && windowMs <= 7 * unitsMs.d)) throw invalid('window must be a time like 10m, 6h or 7d.');
  return { windowMs, isThorough: true };
}
