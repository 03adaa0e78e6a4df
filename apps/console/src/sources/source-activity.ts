import { Injectable } from '@nestjs/common';
import { toClickHouseTime, toIso } from '@sluice/clickhouse';
import { acceptedDestinations } from '@sluice/operations';
import { type Range } from '../http/range.js';
import { Tables } from '../servers/tables.js';
import { type CurrentUser } from '../session/current-user.js';
import { type Activity } from './source-order.js';

const hourMs = 3_600_000;
/** Time for which an answer about the last hour is used again: every tab that shows sources asks for it repeatedly. */
const sameAnswerMs = 5_000;
const isWithin = 'received_at >= {from:DateTime64(3)} AND received_at < {to:DateTime64(3)}';

/** Rows of all kinds: a source may send a catalog only. */
const rowsQuery = `SELECT source, sum(came) AS events, max(newest) AS received, max(newestKept) AS stored FROM (
  ${acceptedDestinations
    .map(
      ({ table }) => `SELECT toString(source_id) AS source, countIf(${isWithin}) AS came,
         max(toDateTime64(received_at, 3, 'UTC')) AS newest, max(toDateTime64(stored_at, 3, 'UTC')) AS newestKept
       FROM ${table} WHERE stored_at >= {from:DateTime64(3)} GROUP BY source`,
    )
    .join('\n  UNION ALL ')}
  ) GROUP BY source`;

/** Counts of a day more than the range: they are few, and say when a source that is silent now sent last. */
const countsQuery = `SELECT toString(source_id) AS source, sumIf(requests, counted = 'refused' AND ${isWithin}) AS refused,
    countIf(counted = 'accepted') AS counts, maxIf(received_at, counted = 'accepted') AS heard
  FROM refused_requests
  WHERE kind = 'count' AND counted IN ('refused', 'accepted')
    AND received_at >= {from:DateTime64(3)} - INTERVAL 1 DAY AND received_at < {to:DateTime64(3)}
  GROUP BY source`;

interface RowsOfSource {
  source: string;
  events: string;
  received: string;
  stored: string;
}

interface CountsOfSource {
  source: string;
  refused: string;
  counts: string;
  heard: string;
}

/** Activity of sources by identifier. */
export type ActivityOf = (sourceIdentifier: string) => Activity;

/** Reads what sources sent and what of it was refused, for all of them at once. */
@Injectable()
export class SourceActivity {
  private lastReading: { readAt: number; activity: Promise<ActivityOf> } | undefined;

  constructor(private readonly tables: Tables) {}

  /** The last hour. @throws ServerUnreachableError when ClickHouse does not answer. */
  lastHour(user: CurrentUser): Promise<ActivityOf> {
    if (this.lastReading && performance.now() - this.lastReading.readAt < sameAnswerMs)
      return this.lastReading.activity;
    const activity = this.within(user, { from: new Date(Date.now() - hourMs), to: new Date() });
    const reading = { readAt: performance.now(), activity };
    this.lastReading = reading;
    activity.catch(() => {
      if (this.lastReading === reading) this.lastReading = undefined;
    });
    return activity;
  }

  /** @throws ServerUnreachableError when ClickHouse does not answer. */
  async within(user: CurrentUser, { from, to }: Range): Promise<ActivityOf> {
    const parameters = { from: toClickHouseTime(from), to: toClickHouseTime(to) };
    const [rows, counts] = await Promise.all([
      this.tables.select<RowsOfSource>(user, rowsQuery, parameters),
      this.tables.select<CountsOfSource>(user, countsQuery, parameters),
    ]);
    const rowsOf = new Map(rows.map((row) => [row.source, row]));
    const countsOf = new Map(counts.map((row) => [row.source, row]));
    return (id) => buildActivity(rowsOf.get(id), countsOf.get(id));
  }
}

function buildActivity(rows: RowsOfSource | undefined, counts: CountsOfSource | undefined): Activity {
  const heard = counts && Number(counts.counts) > 0 ? toIso(counts.heard) : null;
  return {
    events: Number(rows?.events ?? 0),
    refused: Number(counts?.refused ?? 0),
    newestReceived: rows ? toIso(rows.received) : heard,
    newestStored: rows ? toIso(rows.stored) : null,
  };
}
