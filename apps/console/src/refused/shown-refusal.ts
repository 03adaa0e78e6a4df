import { type Problem, type RefusedRequest } from '@sluice/console-api';
import { type RefusedSample } from '@sluice/operations';
import { type SourceRegistry } from '@sluice/sources';
import { type PayloadView, type TagScope } from '../payload/masks.js';

/** A refusal as a view shows it. Its problems, route and user agent may hold what a client sent. */
export function shownRefusal(
  { problems, userAgent, route, ...row }: RefusedSample,
  view: PayloadView,
  names: Pick<SourceRegistry, 'nameOf'>,
): RefusedRequest {
  const { claimedSource, origin } = row;
  const scope = { source: row.sourceIdentifier, at: row.at };
  return {
    ...row,
    sourceName: names.nameOf(row.sourceIdentifier),
    ...(claimedSource !== undefined && { claimedName: names.nameOf(claimedSource) }),
    ...(origin !== undefined && { origin: view.value('origin', origin, scope) }),
    problems: maskedProblems(problems, view, scope),
    userAgent: view.value('user_agent', userAgent, scope),
    route: view.value('route', route, scope),
  };
}

export const maskedProblems = (problems: readonly Problem[], view: PayloadView, scope: TagScope): Problem[] =>
  problems.map(({ field, message }) => ({
    field: view.value('field', field, scope),
    message: view.value('message', message, scope),
  }));
