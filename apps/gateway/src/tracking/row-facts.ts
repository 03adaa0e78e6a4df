import { type IdentifyMessage, type TrackMessage } from '@sluice/contracts';
import { type PlanVerdict, type RowFacts } from '@sluice/messages';
import { userAgentText } from '../intake/client-facts.js';
import { rowOrigin, type SourceRequest } from '../intake/source-request.js';

/** Columns of the message's row in addition to the message's own fields. */
export const rowFacts = (
  message: TrackMessage | IdentifyMessage,
  messageId: string,
  request: SourceRequest,
  verdict: PlanVerdict | undefined,
): RowFacts => ({
  origin: rowOrigin(request),
  messageId,
  userAgent: readUserAgent(message, request),
  country: request.client.country,
  verdict,
});

/** User agent of the client: that of the request, or what a server says of its own client in `context.user_agent`. */
export function readUserAgent(
  { context }: TrackMessage | IdentifyMessage,
  { client }: Pick<SourceRequest, 'client'>,
): string | undefined {
  if (client.userAgentFrom === 'header') return client.userAgent;
  const sent = client.userAgentFrom === 'context' ? context?.['user_agent'] : undefined;
  return typeof sent === 'string' ? userAgentText(sent) : undefined;
}
