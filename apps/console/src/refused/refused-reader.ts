import { Injectable } from '@nestjs/common';
import {
  type ClaimedSource,
  type Problem,
  type RefusedGroup,
  type RefusedList,
  type RefusedRequest,
} from '@sluice/console-api';
import { receivedWithin, type RequestId } from '@sluice/operations';
import { SourceReader } from '@sluice/sources';
import { type PayloadView } from '../payload/masks.js';
import { Payloads } from '../payload/payloads.js';
import { toIso, receivedRange, Tables } from '../servers/tables.js';
import {
  claimedSourcesQuery,
  claimsQuery,
  type Conditions,
  type GroupPage,
  groupsQuery,
  refusedParameters,
  problemsQuery,
  sampleColumns,
  samplesQuery,
} from './refused-query.js';
import { formatCursor, pickPlace, type SampleCursor, type SamplePlace } from './sample-cursor.js';
import { maskedProblems, shownRefusal } from './shown-refusal.js';
import { type CurrentUser } from '../session/current-user.js';

export interface SampleRow {
  requestId: string;
  at: string;
  source: string;
  claimed: string;
  origin: string;
  method: string;
  route: string;
  status: number;
  reason: string;
  kind: RefusedRequest['kind'];
  problems: string;
  userAgent: string;
  hasBody: number;
}

interface GroupRow {
  source: string;
  what: RefusedRequest['kind'];
  reason: string;
  count: string;
  newest: string;
  oldest: string;
  /** Number of groups on all pages. */
  found: string;
}

interface ClaimRow {
  source: string;
  what: string;
  reason: string;
  count: string;
  /** Number of sources that are claimed. */
  found: string;
}

interface ProblemsRow {
  source: string;
  what: string;
  reason: string;
  texts: string[];
}

/** A page of samples, and where the next one begins. */
interface SamplePage {
  samples: RefusedRequest[];
  next: string | null;
}

/** Max number of groups, and of samples, of requests that only claim a source. */
const maxClaims = 20;

/** Reads refusals. */
@Injectable()
export class RefusedReader {
  constructor(
    private readonly tables: Tables,
    private readonly sources: SourceReader,
    private readonly payloads: Payloads,
  ) {}

  /** A refusal as lists show it: masked for everybody, unless another view is given. */
  viewSample(row: SampleRow, view: PayloadView = this.payloads.masked): RefusedRequest {
    return shownRefusal(toSample(row), view, this.sources.registry);
  }

  async find(user: CurrentUser, request: RequestId): Promise<RefusedRequest | null> {
    const [row] = await this.tables.select<SampleRow>(
      user,
      `SELECT ${sampleColumns} FROM refused_requests
       WHERE request_id = {id:UUID} AND kind != 'count' AND ${receivedRange} LIMIT 1`,
      { id: request.id, ...receivedWithin(request) },
    );
    return row ? this.viewSample(row) : null;
  }

  /** Samples after a place, newest first. */
  async samples(user: CurrentUser, conditions: Conditions, limit: number, after?: SampleCursor): Promise<SamplePage> {
    const read = async (isClaim: boolean, most: number): Promise<SampleRow[]> => {
      const place = after && (isClaim ? after.claims : after.own);
      if (after && !place) return [];
      const { at: afterAt, requestId: afterId, kind: afterKind } = place ?? {};
      const parameters = {
        ...refusedParameters(conditions),
        limit: most,
        ...(place && { afterAt, afterId, afterKind }),
      };
      return this.tables.select<SampleRow>(user, samplesQuery(conditions, isClaim, place), parameters);
    };
    const [ownRows, claims] = await Promise.all([read(false, limit), read(true, maxClaims)]);
    const placeAfter = (rows: readonly SampleRow[], most: number): SamplePlace | undefined => {
      const last = rows.at(-1);
      return last && rows.length === most ? pickPlace(last) : undefined;
    };
    return {
      samples: [...ownRows, ...claims].sort((a, b) => b.at.localeCompare(a.at)).map((row) => this.viewSample(row)),
      next: formatCursor({ own: placeAfter(ownRows, limit), claims: placeAfter(claims, maxClaims) }),
    };
  }

  /**
   * Exact counts by source and reason, with the fields of the samples. Of one source, requests that only claim it follow;
   * else they stand in the groups that count them.
   */
  async groups(
    user: CurrentUser,
    conditions: Conditions,
    page: GroupPage,
  ): Promise<Pick<RefusedList, 'groups' | 'found'>> {
    if (conditions.source === undefined) {
      const exactGroups = await this.readGroups(user, conditions, groupsQuery(conditions, page), false);
      const groups = await this.withClaims(user, conditions, exactGroups.groups);
      return { groups, found: { groups: exactGroups.found, claims: 0 } };
    }
    const [ownGroups, claims] = await Promise.all([
      this.readGroups(user, conditions, groupsQuery(conditions, page), false),
      this.readGroups(user, conditions, claimsQuery(conditions, page), true),
    ]);
    const claimed = claims.groups.map((group) => ({ ...group, isClaim: true }));
    return { groups: [...ownGroups.groups, ...claimed], found: { groups: ownGroups.found, claims: claims.found } };
  }

  /** Adds the sources that are claimed to the groups of requests without a valid key. */
  private async withClaims(user: CurrentUser, conditions: Conditions, groups: RefusedGroup[]): Promise<RefusedGroup[]> {
    const reasons = groups.flatMap(({ sourceIdentifier, reason }) => (sourceIdentifier === '' ? [reason] : []));
    if (reasons.length === 0) return groups;
    const parameters = { ...refusedParameters(conditions), reasons };
    const rows = await this.tables.select<ClaimRow>(user, claimedSourcesQuery(conditions), parameters);
    const rowsByGroup = Map.groupBy(rows, (row) => formatGroupKey({ ...row, source: '' }));
    return groups.map((group) => {
      const { sourceIdentifier: source, kind, reason } = group;
      const claims = rowsByGroup.get(formatGroupKey({ source, what: kind, reason }));
      if (!claims) return group;
      const sources = claims.map((claim) => this.viewClaim(claim));
      return { ...group, claims: { sources, found: Number(claims[0]?.found ?? 0) } };
    });
  }

  private viewClaim({ source, count }: ClaimRow): ClaimedSource {
    return { sourceIdentifier: source, sourceName: this.sources.registry.nameOf(source), count: Number(count) };
  }

  private async readGroups(
    user: CurrentUser,
    conditions: Conditions,
    query: string,
    isClaim: boolean,
  ): Promise<{ groups: RefusedGroup[]; found: number }> {
    const parameters = refusedParameters(conditions);
    const rows = await this.tables.select<GroupRow>(user, query, parameters);
    if (rows.length === 0) return { groups: [], found: 0 };
    const distinct = (texts: readonly string[]): string[] => [...new Set(texts)];
    const problems = await this.tables.select<ProblemsRow>(user, problemsQuery(conditions, isClaim), {
      ...parameters,
      sources: distinct(rows.map(({ source }) => source)),
      reasons: distinct(rows.map(({ reason }) => reason)),
    });
    const textsOf = new Map(problems.map((row) => [formatGroupKey(row), row.texts]));
    const groups = rows.map((row) => this.viewGroup(row, textsOf.get(formatGroupKey(row)) ?? []));
    return { groups, found: Number(rows[0]?.found ?? 0) };
  }

  private viewGroup(
    { source, what: kind, reason, count, newest, oldest }: GroupRow,
    texts: readonly string[],
  ): RefusedGroup {
    const problems = texts.map((text) => this.maskedProblems(parseProblems(text), source, newest));
    return {
      sourceIdentifier: source,
      sourceName: this.sources.registry.nameOf(source),
      kind,
      reason,
      count: Number(count),
      sentence: chooseSentence(problems, reason),
      fields: listFields(problems),
      newest: toIso(newest),
      firstSeen: toIso(oldest),
    };
  }

  private maskedProblems(problems: Problem[], source: string, at: string): Problem[] {
    return maskedProblems(problems, this.payloads.masked, { source, at });
  }
}

const formatGroupKey = ({ source, what: kind, reason }: Pick<ProblemsRow, 'source' | 'what' | 'reason'>): string =>
  JSON.stringify([source, kind, reason]);

const toSample = ({
  at,
  source,
  claimed,
  origin,
  problems,
  hasBody,
  ...row
}: SampleRow): Omit<RefusedRequest, 'sourceName'> => ({
  ...row,
  ...(claimed !== '' && { claimedSource: claimed }),
  ...(origin !== '' && { origin }),
  at: toIso(at),
  sourceIdentifier: source,
  problems: parseProblems(problems),
  hasBody: Boolean(hasBody),
});

function parseProblems(text: string): Problem[] {
  try {
    return JSON.parse(text) as Problem[];
  } catch {
    return [];
  }
}

/** The fields that samples name most often, without the positions in lists. */
function listFields(problems: readonly (readonly Problem[])[]): string[] {
  const names = problems.flat().map(({ field }) => field.replace(/\[\d+\]/g, '[]'));
  return byFrequency(names.filter((name) => name !== '')).slice(0, 5);
}

/** Most causes that a group names. */
const maxCauses = 3;

/** The most frequent sentence of the samples, or their causes where they are not about fields; a code is not a sentence. */
function chooseSentence(problems: readonly (readonly Problem[])[], reason: string): string {
  const explained = problems.flat().filter(({ message }) => message !== reason);
  const [cause, ...otherCauses] = byFrequency(explained.flatMap(({ field, message }) => (field === '' ? message : [])));
  const [sentence = ''] = byFrequency(
    explained.map(({ field, message }) => (field === '' ? message : `${field.replace(/\[\d+\]/g, '[]')}: ${message}`)),
  );
  if (sentence !== cause || otherCauses.length === 0) return sentence;
  return `${cause}; also: ${otherCauses.slice(0, maxCauses - 1).join(', or ')}`;
}

function byFrequency(texts: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  return [...counts].sort(([, a], [, b]) => b - a).map(([text]) => text);
}
