import { isPlaceholderId, type TrackingMessage } from '@sluice/contracts';
import { joinPath, type Report } from './report.js';

/** Message of an answer about an id that is stored as sent, but is nobody's. */
export const linksNobody = 'a placeholder, which links nobody';

/** Names the ids of a message that are placeholders. They are stored all the same. */
export function reportPlaceholders(
  { userId, anonymousId }: Pick<TrackingMessage, 'userId' | 'anonymousId'>,
  path: string,
  report: Report,
): void {
  if (typeof userId === 'string' && isPlaceholderId(userId)) report.drop(joinPath(path, 'userId'), linksNobody);
  if (typeof anonymousId === 'string' && isPlaceholderId(anonymousId))
    report.drop(joinPath(path, 'anonymousId'), linksNobody);
}
