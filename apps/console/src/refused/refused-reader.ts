import { Injectable } from '@nestjs/common';
import { type Problem, type RefusedGroup, type RefusedList, type RefusedRequest } from '@sluice/console-api';
import {
  findRefusedSample,
  findWholeSample,
  type GroupPage,
  readRefusalGroups,
  readRefusedSamples,
  type RefusalConditions,
  type SampledGroup,
  type RefusalPart,
  type RefusedSample,
  type RequestId,
} from '@sluice/operations';
import { SourceReader } from '@sluice/sources';
import { type PayloadView } from '../payload/masks.js';
import { Payloads } from '../payload/payloads.js';
import { Tables } from '../servers/tables.js';
import { formatCursor, type SampleCursor } from './sample-cursor.js';
import { maskedProblems, shownRefusal } from './shown-refusal.js';
import { type CurrentUser } from '../session/current-user.js';

/** A page of samples, and where the next one begins. */
interface SamplePage {
  samples: RefusedRequest[];
  next: string | null;
}

/** Max number of groups, and of samples, of requests that only claim a source. */
const maxClaims = 20;

/** Reads refusals as the console shows them. */
@Injectable()
export class RefusedReader {
  constructor(
    private readonly tables: Tables,
    private readonly sources: SourceReader,
    private readonly payloads: Payloads,
  ) {}

  /** A refusal as lists show it: masked for everybody, unless another view is given. */
  viewSample(sample: RefusedSample, view: PayloadView = this.payloads.masked): RefusedRequest {
    return shownRefusal(sample, view, this.sources.registry);
  }

  async find(user: CurrentUser, request: RequestId): Promise<RefusedRequest | null> {
    const sample = await findRefusedSample(this.tables.selectFor(user), request);
    return sample ? this.viewSample(sample) : null;
  }

  /** The sample of a request with its body, nothing of it masked. */
  findWhole(user: CurrentUser, id: string): ReturnType<typeof findWholeSample> {
    return findWholeSample(this.tables.selectFor(user), id);
  }

  /** Samples after a place, newest first. */
  async samples(
    user: CurrentUser,
    conditions: RefusalConditions,
    limit: number,
    after?: SampleCursor,
  ): Promise<SamplePage> {
    const read = (part: RefusalPart, maxRows: number): ReturnType<typeof readRefusedSamples> => {
      const hasEnded = after !== undefined && after[part] === undefined;
      if (hasEnded) return Promise.resolve({ samples: [], next: undefined });
      return readRefusedSamples(this.tables.selectFor(user), conditions, part, {
        limit: maxRows,
        after: after?.[part],
      });
    };
    const [ownSamples, claims] = await Promise.all([read('own', limit), read('claims', maxClaims)]);
    return {
      samples: [...ownSamples.samples, ...claims.samples]
        .sort((a, b) => b.at.localeCompare(a.at))
        .map((sample) => this.viewSample(sample)),
      next: formatCursor({ own: ownSamples.next, claims: claims.next }),
    };
  }

  /**
   * Exact counts by source and reason, with the fields of the samples. Of one source, requests that only claim it follow;
   * else they stand in the groups that count them.
   */
  async groups(
    user: CurrentUser,
    conditions: RefusalConditions,
    page: GroupPage,
  ): Promise<Pick<RefusedList, 'groups' | 'found'>> {
    const [ownGroups, claims] = await Promise.all([
      this.readGroups(user, conditions, 'own', page),
      conditions.source === undefined ? { groups: [], found: 0 } : this.readGroups(user, conditions, 'claims', page),
    ]);
    const claimed = claims.groups.map((group) => ({ ...group, isClaim: true }));
    return { groups: [...ownGroups.groups, ...claimed], found: { groups: ownGroups.found, claims: claims.found } };
  }

  private async readGroups(
    user: CurrentUser,
    conditions: RefusalConditions,
    part: RefusalPart,
    page: GroupPage,
  ): Promise<{ groups: RefusedGroup[]; found: number }> {
    const { groups, ...total } = await readRefusalGroups(this.tables.selectFor(user), conditions, part, page);
    return { ...total, groups: groups.map((group) => this.viewGroup(group)) };
  }

  private viewGroup({ problems, claims, ...group }: SampledGroup): RefusedGroup {
    const scope = { source: group.sourceIdentifier, at: group.newest };
    const shownProblems = problems.map((list) => maskedProblems(list, this.payloads.masked, scope));
    const { registry } = this.sources;
    return {
      ...group,
      sourceName: registry.nameOf(group.sourceIdentifier),
      sentence: chooseSentence(shownProblems, group.reason),
      fields: listFields(shownProblems),
      ...(claims && {
        claims: {
          ...claims,
          sources: claims.sources.map((claim) => ({ ...claim, sourceName: registry.nameOf(claim.sourceIdentifier) })),
        },
      }),
    };
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
