import { type FreeForm } from '@sluice/contracts';
import { buildJudgedPlan, LivePlans, type Plan } from '@sluice/plans';
import { type SelectRows } from './select-rows.js';

/** Verdicts of a plan on messages that are stored already. */
export interface StoredVerdicts {
  /** ISO 8601 UTC. */
  readonly from: string;
  /** Most frequent first; the event is empty for traits of identify. */
  readonly events: readonly ComparedEvent[];
}

export interface ComparedEvent {
  readonly event: string;
  /** Messages that are stored. */
  readonly stored: number;
  /** Messages that were judged: all, or a sample of a frequent event. */
  readonly judged: number;
  /** Judged messages that do not fit. */
  readonly violating: number;
  /** Violations and the number of judged messages that have them, most frequent first. */
  readonly violations: readonly (readonly [violation: string, messages: number])[];
}

export interface CompareQuestion {
  readonly source: string;
  readonly plan: Plan;
  readonly days: number;
}

/** Messages to judge of each event, approximately. */
const sampleSize = 5_000;
const maxEvents = 1_000;

interface Tally {
  judged: number;
  violating: number;
  readonly violations: Map<string, number>;
}

/** Judges stored messages by a plan that need not be active. */
export async function comparePlan(
  select: SelectRows,
  { source, plan, days }: CompareQuestion,
): Promise<StoredVerdicts> {
  const from = new Date(Date.now() - days * 86_400_000);
  const parameters = { source, from: from.getTime() };
  const counts = await select<{ event: string; stored: number }>(countsQuery, parameters);
  const live = new LivePlans([buildJudgedPlan(plan)], { mode: 'observe' }, rethrow);
  const tallies = new Map<string, Tally>();
  for (const { event, stored } of counts) {
    const samplingInterval = Math.max(1, Math.floor(stored / sampleSize));
    const query = event === '' ? traitsQuery : propertiesQuery;
    const rows = await select<{ sent: FreeForm }>(query, {
      ...parameters,
      event,
      every: samplingInterval,
      limit: 2 * sampleSize,
    });
    tallies.set(event, judge(live, event, rows));
  }
  return {
    from: from.toISOString(),
    events: counts.map(({ event, stored }) => ({ event, stored, ...summarizeTally(tallies.get(event)) })),
  };
}

const rethrow = (error: unknown): never => {
  throw error;
};

function judge(live: LivePlans, event: string, rows: readonly { sent: FreeForm }[]): Tally {
  const tally: Tally = { judged: rows.length, violating: 0, violations: new Map() };
  for (const { sent } of rows) {
    const verdict = event === '' ? live.judgeTraits(sent) : live.judgeEvent(event, sent);
    if (!verdict || verdict.violations.length === 0) continue;
    tally.violating++;
    for (const violation of verdict.violations)
      tally.violations.set(violation, (tally.violations.get(violation) ?? 0) + 1);
  }
  return tally;
}

function summarizeTally(tally: Tally | undefined): Omit<ComparedEvent, 'event' | 'stored'> {
  const { judged = 0, violating = 0, violations = new Map<string, number>() } = tally ?? {};
  return { judged, violating, violations: [...violations].sort(([, a], [, b]) => b - a) };
}

/** Share of the stored messages that a plan would not accept, from 0 to 1. */
export function violatingShare({ events }: StoredVerdicts): number {
  const stored = events.reduce((sum, comparedEvent) => sum + comparedEvent.stored, 0);
  const violating = events.reduce(
    (sum, comparedEvent) =>
      sum + (comparedEvent.judged === 0 ? 0 : (comparedEvent.stored * comparedEvent.violating) / comparedEvent.judged),
    0,
  );
  return stored === 0 ? 0 : violating / stored;
}

const period = 'source_id = {source:String} AND received_at >= fromUnixTimestamp64Milli({from:Int64})';

const countsQuery = `
  SELECT event, toFloat64(count()) AS stored FROM events WHERE ${period} GROUP BY event
  ORDER BY stored DESC LIMIT ${maxEvents}
  UNION ALL
  SELECT '' AS event, toFloat64(count()) AS stored FROM identifies WHERE ${period} HAVING stored > 0`;

/** Selects a share of the people; the tables are sorted by people, so only a share is read. */
const sampled = `identity <= intDiv(18446744073709551615, {every:UInt64}) LIMIT {limit:UInt32}
  SETTINGS output_format_json_quote_64bit_integers = 0`;
const propertiesQuery = `SELECT properties AS sent FROM events WHERE ${period} AND event = {event:String} AND ${sampled}`;
const traitsQuery = `SELECT traits AS sent FROM identifies WHERE ${period} AND {event:String} = '' AND ${sampled}`;
