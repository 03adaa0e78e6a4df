import { type CanaryFault, type CanaryState } from '@sluice/console-api';
import { type SelectRows } from '../plans/select-rows.js';
import { findQuantile } from './latencies.js';

const maxFaults = 20;
const isoTime = (column: string): string => `formatDateTime(${column}, '%Y-%m-%dT%H:%i:%SZ', 'UTC')`;
const never = "toDateTime64(0, 3, 'UTC')";

const totalsQuery = `SELECT count() AS series, ${isoTime('min(canary_series.began)')} AS since, ${isoTime('max(last_call)')} AS judgedUntil,
    toFloat64(sum(accepted)) AS probes, toFloat64(sum(canary_series.refused)) AS refused, toFloat64(sum(in_doubt)) AS inDoubt,
    toFloat64(sum(canary_series.unjudged)) AS unjudged, arrayMap(count -> toFloat64(count), sumForEach(latencies)) AS latencies
  FROM canary_series FINAL`;

const countsQuery = `SELECT toFloat64(countIf(kind = 'lost' AND arrived = ${never})) AS lost, toFloat64(countIf(kind = 'doubled')) AS doubled,
    toFloat64(countIf(arrived != ${never})) AS late,
    toFloat64(countIf(kind = 'lost' AND arrived = ${never} AND found > now64(3, 'UTC') - INTERVAL 1 DAY)) AS lostLately,
    toFloat64(countIf(kind = 'doubled' AND found > now64(3, 'UTC') - INTERVAL 1 DAY)) AS doubledLately
  FROM canary_faults FINAL`;

const faultsQuery = `SELECT series, toFloat64(number) AS number, kind, ${isoTime('canary_faults.called')} AS called, ${isoTime('canary_faults.found')} AS found,
    if(canary_faults.arrived = ${never}, NULL, ${isoTime('canary_faults.arrived')}) AS arrived
  FROM canary_faults FINAL ORDER BY canary_faults.found DESC, series, number LIMIT ${maxFaults}`;

interface TotalsRow extends Pick<CanaryState, 'probes' | 'refused' | 'inDoubt' | 'unjudged'> {
  readonly series: string | number;
  readonly since: string;
  readonly judgedUntil: string;
  readonly latencies: readonly number[];
}

type CountsRow = Pick<CanaryState, 'lost' | 'doubled' | 'late'> & Record<'lostLately' | 'doubledLately', number>;

/** Numbers of the metrics: the state without single faults, and the faults of the last day. */
export interface CanaryNumbers extends Omit<CanaryState, 'faults'> {
  readonly lostLately: number;
  readonly doubledLately: number;
}

export async function readCanaryNumbers(select: SelectRows): Promise<CanaryNumbers> {
  const [[totals], [counts]] = await Promise.all([
    select<TotalsRow>(totalsQuery, {}),
    select<CountsRow>(countsQuery, {}),
  ]);
  const noCounts: CountsRow = { lost: 0, doubled: 0, late: 0, lostLately: 0, doubledLately: 0 };
  const isEmpty = !totals || Number(totals.series) === 0;
  return {
    ...(counts ?? noCounts),
    since: isEmpty ? null : totals.since,
    judgedUntil: isEmpty ? null : totals.judgedUntil,
    probes: totals?.probes ?? 0,
    refused: totals?.refused ?? 0,
    inDoubt: totals?.inDoubt ?? 0,
    unjudged: totals?.unjudged ?? 0,
    p99Ms: findQuantile(totals?.latencies ?? [], 0.99),
  };
}

/** Reads the results of the probes of all gateways: docs/canary.md. */
export async function readCanary(select: SelectRows): Promise<CanaryState> {
  const [numbers, faults] = await Promise.all([readCanaryNumbers(select), select<CanaryFault>(faultsQuery, {})]);
  const { since, judgedUntil, probes, lost, doubled, late, refused, inDoubt, unjudged, p99Ms } = numbers;
  return { since, judgedUntil, probes, lost, doubled, late, refused, inDoubt, unjudged, p99Ms, faults };
}
