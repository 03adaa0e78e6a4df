import { type IdentifyMessage, parseDateTime, type TrackMessage } from '@sluice/contracts';
import { type SourceRequest } from '../intake/source-request.js';

/** All messages of a person lie in one partition, in the order in which they came. */
export const personKey = (
  { userId, anonymousId }: TrackMessage | IdentifyMessage,
  { sourceIdentifier }: SourceRequest,
): string => `${sourceIdentifier}:${userId ?? anonymousId ?? ''}`;

const inRowForm = /^.{10}T.{8}\.\d{3}Z$/;

/** When it took place, ISO 8601 UTC in milliseconds; the time of arrival if the client did not say. */
export function timestampOf({ timestamp }: TrackMessage | IdentifyMessage, { receivedAt }: SourceRequest): string {
  if (timestamp === undefined || timestamp === null) return receivedAt;
  // Most clients send just this form, and it was checked: nothing to convert.
  if (inRowForm.test(timestamp)) return timestamp;
  return new Date(parseDateTime(timestamp)).toISOString();
}
