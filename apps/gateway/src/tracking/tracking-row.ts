import { type IdentifyMessage, parseDateTime, type TrackMessage } from '@sluice/contracts';
import { type SourceRequest } from '../intake/source-request.js';

/** Key of all messages of a person, which go to one partition in the order of their arrival. */
export const personKey = (
  { userId, anonymousId }: TrackMessage | IdentifyMessage,
  { sourceIdentifier }: SourceRequest,
): string => `${sourceIdentifier}:${userId ?? anonymousId ?? ''}`;

const inRowForm = /^.{10}T.{8}\.\d{3}Z$/;

/** Time of the event in ISO 8601, UTC, with milliseconds; the time of arrival if the client did not send one. */
export function timestampOf({ timestamp }: TrackMessage | IdentifyMessage, { receivedAt }: SourceRequest): string {
  if (timestamp === undefined || timestamp === null) return receivedAt;
  // Most clients send exactly this form, which is valid already and needs no conversion.
  if (inRowForm.test(timestamp)) return timestamp;
  return new Date(parseDateTime(timestamp)).toISOString();
}
