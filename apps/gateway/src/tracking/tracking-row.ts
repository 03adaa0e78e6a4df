import { type IdentifyMessage, parseDateTime, type TrackMessage } from '@sluice/contracts';
import { originOf, type SourceRequest } from '../intake/source-request.js';

/** The columns that rows of track and identify messages have in common. */
export function trackingRow(message: TrackMessage | IdentifyMessage, messageId: string, request: SourceRequest) {
  const { userId, anonymousId, timestamp, context } = message;
  return {
    ...originOf(request),
    message_id: messageId,
    ...(userId && { user_id: userId }),
    ...(anonymousId && { anonymous_id: anonymousId }),
    timestamp: timestamp ? new Date(parseDateTime(timestamp)).toISOString() : request.receivedAt,
    ...(context && { context }),
  };
}

/** All messages of a person lie in one partition, in the order in which they came. */
export const personKey = (
  { userId, anonymousId }: TrackMessage | IdentifyMessage,
  { sourceIdentifier }: SourceRequest,
): string => `${sourceIdentifier}:${userId ?? anonymousId ?? ''}`;
