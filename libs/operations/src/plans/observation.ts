import { type Activation, type PlanRegistry } from '@sluice/plans';
import { comparePlan, violatingShare } from './compare-plan.js';
import { type SelectRows } from './select-rows.js';

/** Days for which a plan is observed before it may refuse. */
export const observationDays = 7;
const dayMs = 86_400_000;

/** Verdicts of a plan on messages, from before it may refuse. */
export interface Observation {
  /** Time since which the plan judges messages, ISO 8601 UTC; null if it never did. */
  readonly since: string | null;
  /** Messages of the last seven days that were judged, and the number of them that do not fit. */
  readonly judged: number;
  readonly violating: number;
  /** From 0 to 1. */
  readonly share: number;
  readonly isLongEnough: boolean;
}

/**
 * Counts the verdicts on stored rows. A candidate has none, so the stored messages are judged instead.
 * @throws ServerUnreachableError
 */
export async function readObservation(
  select: SelectRows,
  registry: PlanRegistry,
  source: string,
  versions: readonly number[],
): Promise<Observation> {
  const verdicts = await readVerdicts(select, source, versions);
  const candidateSince = candidateTime(registry.activation(source), versions);
  const since = minTime(verdicts.since, candidateSince);
  const isLongEnough = since !== null && Date.now() - Date.parse(since) >= observationDays * dayMs;
  if (verdicts.judged > 0) return { ...verdicts, since, share: verdicts.violating / verdicts.judged, isLongEnough };
  const plan = registry.plan(source, Math.max(...versions));
  if (!plan) return { since, judged: 0, violating: 0, share: 0, isLongEnough };
  const compared = await comparePlan(select, { source, plan, days: observationDays });
  const judged = compared.events.reduce((sum, comparedEvent) => sum + comparedEvent.stored, 0);
  const share = violatingShare(compared);
  return { since, judged, violating: Math.round(judged * share), share, isLongEnough };
}

const candidateTime = (activation: Activation | undefined, versions: readonly number[]): string | null =>
  activation?.candidate !== undefined && versions.includes(activation.candidate)
    ? (activation.candidateSince ?? null)
    : null;

const minTime = (a: string | null, b: string | null): string | null => (a === null || (b !== null && b < a) ? b : a);

interface Verdicts {
  readonly since: string | null;
  readonly judged: number;
  readonly violating: number;
}

async function readVerdicts(select: SelectRows, source: string, versions: readonly number[]): Promise<Verdicts> {
  const now = Date.now();
  const [row] = await select<{ since: number; judged: number; violating: number }>(verdictsQuery, {
    source,
    versions,
    recent: now - observationDays * dayMs,
    from: now - 2 * observationDays * dayMs,
  });
  const { since = 0, judged = 0, violating = 0 } = row ?? {};
  return { since: since === 0 ? null : new Date(since).toISOString(), judged, violating };
}

const judgedRows = (table: string): string => `
  SELECT received_at, notEmpty(violations) AS is_violating FROM ${table}
  WHERE source_id = {source:String} AND received_at >= fromUnixTimestamp64Milli({from:Int64})
    AND plan_version IN {versions:Array(UInt32)}`;

/** No row has a verdict from before its plan was active, so the first one says since when it judges. */
const verdictsQuery = `
  SELECT toFloat64(toUnixTimestamp64Milli(min(received_at))) AS since,
         toFloat64(countIf(received_at >= fromUnixTimestamp64Milli({recent:Int64}))) AS judged,
         toFloat64(countIf(is_violating AND received_at >= fromUnixTimestamp64Milli({recent:Int64}))) AS violating
  FROM (${judgedRows('events')} UNION ALL ${judgedRows('identifies')})`;
