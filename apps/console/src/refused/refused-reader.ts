import { Injectable } from '@nestjs/common';
import { type Problem, type RefusedGroup, type RefusedRequest } from '@sluice/console-api';
import { receivedWithin, type RequestId } from '@sluice/operations';
import { SourceReader } from '@sluice/sources';
import { type Range } from '../http/range.js';
import { Payloads } from '../payload/payloads.js';
import { isoOf, receivedRange, Tables, timeParameter } from '../servers/tables.js';
import { maskedProblems, shownRefusal } from './shown-refusal.js';
import { type CurrentUser } from '../session/current-user.js';

/** Columns of a sample; the body is read for one at a time. */
export const sampleColumns = `toString(request_id) AS requestId, received_at AS at, source_id AS source, method, route, status, reason, kind,
  problems, user_agent AS userAgent, body != '' AS hasBody`;

export interface SampleRow {
  requestId: string;
  at: string;
  source: string;
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
  texts: string[];
}

export interface Conditions extends Range {
  source?: string;
  reason?: string;
}

/** Reads refusals. */
@Injectable()
export class RefusedReader {
  constructor(
    private readonly tables: Tables,
    private readonly sources: SourceReader,
    private readonly payloads: Payloads,
  ) {}

  /** A refusal as lists show it: masked for everybody. */
  private shown(row: SampleRow): RefusedRequest {
    return shownRefusal(sampleOf(row), this.payloads.masked, this.nameOf(row.source));
  }

  nameOf(source: string): string {
    return this.sources.registry.find(source)?.name ?? '';
  }

  async find(user: CurrentUser, request: RequestId): Promise<RefusedRequest | null> {
    const [row] = await this.tables.select<SampleRow>(
      user,
      `SELECT ${sampleColumns} FROM refused_requests
       WHERE request_id = {id:UUID} AND kind != 'count' AND ${receivedRange} LIMIT 1`,
      { id: request.id, ...receivedWithin(request) },
    );
    return row ? this.shown(row) : null;
  }

  async samples(user: CurrentUser, conditions: Conditions, limit: number): Promise<RefusedRequest[]> {
    const rows = await this.tables.select<SampleRow>(
      user,
      `SELECT ${sampleColumns} FROM refused_requests WHERE kind != 'count' AND ${where(conditions)}
       ORDER BY received_at DESC LIMIT {limit:UInt32}`,
      { ...parametersOf(conditions), limit },
    );
    return rows.map((row) => this.shown(row));
  }

  /** Exact counts by source and reason, with the fields of the samples. */
  async groups(user: CurrentUser, conditions: Conditions): Promise<RefusedGroup[]> {
    const rows = await this.tables.select<GroupRow>(user, groupsQuery(conditions), parametersOf(conditions));
    return rows.map(({ source, what, reason, count, newest, oldest, texts }) => {
      const problems = texts.map((text) => this.maskedProblems(problemsOf(text), source, newest));
      return {
        sourceIdentifier: source,
        sourceName: this.nameOf(source),
        kind: what,
        reason,
        count: Number(count),
        sentence: sentenceOf(problems, reason),
        fields: fieldsOf(problems),
        newest: isoOf(newest),
        firstSeen: isoOf(oldest),
      };
    });
  }

  private maskedProblems(problems: Problem[], source: string, at: string): Problem[] {
    return maskedProblems(problems, this.payloads.masked, { source, at });
  }
}

export const groupsQuery = (conditions: Conditions): string =>
  `SELECT source_id AS source, if(kind = 'count', counted, kind) AS what, reason, sumIf(requests, kind = 'count') AS count,
     max(received_at) AS newest, min(received_at) AS oldest, groupArraySampleIf(50)(problems, kind != 'count') AS texts
   FROM refused_requests WHERE counted NOT IN ('accepted', 'key') AND ${where(conditions)}
   GROUP BY source, what, reason ORDER BY count DESC, newest DESC LIMIT 200`;

const where = ({ source, reason }: Conditions): string =>
  [
    'received_at >= {from:DateTime64(3)} AND received_at < {to:DateTime64(3)}',
    ...(source === undefined ? [] : ['source_id = {source:String}']),
    ...(reason === undefined ? [] : ['reason = {reason:String}']),
  ].join(' AND ');

export const parametersOf = ({ from, to, source = '', reason = '' }: Conditions) => ({
  from: timeParameter(from),
  to: timeParameter(to),
  source,
  reason,
});

export const sampleOf = ({ at, source, problems, hasBody, ...row }: SampleRow): Omit<RefusedRequest, 'sourceName'> => ({
  ...row,
  at: isoOf(at),
  sourceIdentifier: source,
  problems: problemsOf(problems),
  hasBody: Boolean(hasBody),
});

function problemsOf(text: string): Problem[] {
  try {
    return JSON.parse(text) as Problem[];
  } catch {
    return [];
  }
}

/** The fields that samples name most often, without the positions in lists. */
function fieldsOf(problems: readonly (readonly Problem[])[]): string[] {
  const names = problems.flat().map(({ field }) => field.replace(/\[\d+\]/g, '[]'));
  return byFrequency(names.filter((name) => name !== '')).slice(0, 5);
}

/** The most frequent sentence of the samples; a code is not a sentence. */
function sentenceOf(problems: readonly (readonly Problem[])[], reason: string): string {
  const sentences = problems.flat().flatMap(({ field, message }) => {
    const name = field.replace(/\[\d+\]/g, '[]');
    return message === reason ? [] : [name === '' ? message : `${name}: ${message}`];
  });
  return byFrequency(sentences)[0] ?? '';
}

function byFrequency(texts: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  return [...counts].sort(([, a], [, b]) => b - a).map(([text]) => text);
}
