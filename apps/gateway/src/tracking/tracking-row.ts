import { type IdentifyMessage, parseDateTime, type TrackMessage } from '@sluice/contracts';
import { userAgentText } from '../intake/client-facts.js';
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

/** User agent of the client: that of the request, or what a server says of its own client in `context.user_agent`. */
export function userAgentOf(
  { context }: TrackMessage | IdentifyMessage,
  { client }: Pick<SourceRequest, 'client'>,
): string | undefined {
  if (client.userAgentFrom === 'header') return client.userAgent;
  const sent = client.userAgentFrom === 'context' ? context?.['user_agent'] : undefined;
  return typeof sent === 'string' ? userAgentText(sent) : undefined;
}
