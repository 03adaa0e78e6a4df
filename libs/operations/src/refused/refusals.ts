import { toIso } from '@sluice/clickhouse';
import { type Problem } from '@sluice/console-api';
import { receivedRange, receivedWithin, type RequestId } from '../events/request-id.js';
import { type SelectRows } from '../plans/select-rows.js';
import {
  claimedSourcesQuery,
  claimsQuery,
  type GroupPage,
  groupsQuery,
  problemsQuery,
  type RefusalConditions,
  type RefusalPart,
  refusalParameters,
  sampleColumns,
  type SamplePlace,
  samplesQuery,
} from './refusal-query.js';
import {
  type ClaimRow,
  type GroupRow,
  parseProblems,
  type ProblemsRow,
  type RefusalCount,
  type RefusedSample,
  type SampleRow,
  toCount,
  toSample,
} from './refusal-rows.js';

/** A count with the time of the first refusal in the range, and what samples say about it. */
export interface SampledGroup extends RefusalCount {
  readonly firstSeen: string;
  /** Problems of some samples. */
  readonly problems: readonly (readonly Problem[])[];
  /** Sources that samples without a valid key claim to be, most frequent first. */
  readonly claims?: { readonly sources: readonly SampledClaim[]; readonly found: number };
}

interface SampledClaim {
  readonly sourceIdentifier: string;
  /** Number of samples, which is a lower bound. */
  readonly count: number;
}

/** Counts refusals exactly by source and reason, most frequent first. */
export async function countRefusals(
  select: SelectRows,
  conditions: RefusalConditions,
  limit: number,
): Promise<RefusalCount[]> {
  const query = groupsQuery(conditions, { skip: 0, limit }, false);
  return (await select<GroupRow>(query, refusalParameters(conditions))).map(toCount);
}

/** Reads a page of groups, most frequent first, and the number of groups on all pages. */
export async function readRefusalGroups(
  select: SelectRows,
  conditions: RefusalConditions,
  part: RefusalPart,
  page: GroupPage,
): Promise<{ groups: SampledGroup[]; found: number }> {
  const parameters = refusalParameters(conditions);
  const query = part === 'claims' ? claimsQuery(conditions, page) : groupsQuery(conditions, page, true);
  const rows = await select<GroupRow>(query, parameters);
  if (rows.length === 0) return { groups: [], found: 0 };
  const distinct = (texts: readonly string[]): string[] => [...new Set(texts)];
  const problems = await select<ProblemsRow>(problemsQuery(conditions, part), {
    ...parameters,
    sources: distinct(rows.map(({ source }) => source)),
    reasons: distinct(rows.map(({ reason }) => reason)),
  });
  const textsByGroup = new Map(problems.map((row) => [formatGroupKey(row), row.texts]));
  const groups = rows.map((row) => ({
    ...toCount(row),
    firstSeen: toIso(row.oldest),
    problems: (textsByGroup.get(formatGroupKey(row)) ?? []).map(parseProblems),
  }));
  return { groups: await addClaims(select, conditions, groups), found: Number(rows[0]?.found ?? 0) };
}

/** Adds the sources that are claimed to the groups of requests without a valid key. */
async function addClaims(
  select: SelectRows,
  conditions: RefusalConditions,
  groups: SampledGroup[],
): Promise<SampledGroup[]> {
  const reasons = groups.flatMap(({ sourceIdentifier, reason }) => (sourceIdentifier === '' ? [reason] : []));
  if (reasons.length === 0) return groups;
  const parameters = { ...refusalParameters(conditions), reasons };
  const rows = await select<ClaimRow>(claimedSourcesQuery(conditions), parameters);
  const rowsByGroup = Map.groupBy(rows, (row) => formatGroupKey({ ...row, source: '' }));
  return groups.map((group) => {
    const { sourceIdentifier: source, kind, reason } = group;
    const claims = rowsByGroup.get(formatGroupKey({ source, what: kind, reason }));
    if (!claims) return group;
    const sources = claims.map((row) => ({ sourceIdentifier: row.source, count: Number(row.count) }));
    return { ...group, claims: { sources, found: Number(claims[0]?.found ?? 0) } };
  });
}

/** Reads samples after a place, newest first, and the place after them if there may be more. */
export async function readRefusedSamples(
  select: SelectRows,
  conditions: RefusalConditions,
  part: RefusalPart,
  { limit, after }: { limit: number; after?: SamplePlace | undefined },
): Promise<{ samples: RefusedSample[]; next: SamplePlace | undefined }> {
  const rows = await select<SampleRow>(samplesQuery(conditions, part, after), {
    ...refusalParameters(conditions),
    limit,
    ...(after && { afterTime: after.time, afterId: after.requestId, afterKind: after.kind }),
  });
  const last = rows.length === limit ? rows.at(-1) : undefined;
  return {
    samples: rows.map(toSample),
    next: last && { time: last.at, requestId: last.requestId, kind: last.kind },
  };
}

/** Finds the sample of a request. */
export async function findRefusedSample(select: SelectRows, request: RequestId): Promise<RefusedSample | undefined> {
  const [row] = await select<SampleRow>(
    `SELECT ${sampleColumns} FROM refused_requests
     WHERE request_id = {id:UUID} AND kind != 'count' AND ${receivedRange} LIMIT 1`,
    { id: request.id, ...receivedWithin(request) },
  );
  return row && toSample(row);
}

/** Finds the sample of a request, whose id may be any UUID, with its body; the body is empty when none was kept. */
export async function findWholeSample(
  select: SelectRows,
  id: string,
): Promise<{ sample: RefusedSample; body: string } | undefined> {
  const [row] = await select<SampleRow & { body: string }>(
    `SELECT ${sampleColumns}, body FROM refused_requests WHERE request_id = {id:UUID} AND kind != 'count' LIMIT 1`,
    { id },
  );
  if (!row) return undefined;
  const { body, ...sampleRow } = row;
  return { sample: toSample(sampleRow), body };
}

const formatGroupKey = ({ source, what: kind, reason }: Pick<ProblemsRow, 'source' | 'what' | 'reason'>): string =>
  JSON.stringify([source, kind, reason]);
