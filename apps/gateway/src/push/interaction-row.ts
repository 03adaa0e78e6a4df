import { type Interaction, type InteractionRow, interactionTopic } from '@sluice/contracts';
import { type PushToken } from '@sluice/push-tokens';
import { type OutgoingRow } from '../intake/outgoing-row.js';
import { rowOrigin, type SourceRequest } from '../intake/source-request.js';

/** A report of an interaction. `happenedAt` is the time that the report claims, in milliseconds since 1970. */
export type InteractionReport = Pick<
  InteractionRow,
  'reported_by' | 'url' | 'button' | 'action_id' | 'reason' | 'user_id' | 'anonymous_id'
> & { interaction: Interaction; happenedAt: number };

/** Makes the row of a report. Its source and profile come from the token, never from the client. */
export function interactionRow(
  token: PushToken,
  { interaction, happenedAt, ...report }: InteractionReport,
  { id, receivedAt }: Pick<SourceRequest, 'id' | 'receivedAt'>,
): OutgoingRow & { row: InteractionRow } {
  const row: InteractionRow = {
    ...rowOrigin({ id, receivedAt, sourceIdentifier: token.source }),
    campaign_id: token.campaign,
    notification_id: token.notificationId,
    interaction,
    variation_id: token.variation,
    profile_id: token.profile,
    channel: token.channel,
    provider: token.provider,
    issued_at: isoTime(token.issuedAt),
    // Clocks of devices are wrong in both directions. When all clocks disagree, the gateway's wins.
    occurred_at: isoTime(Math.min(Math.max(happenedAt, token.issuedAt), Date.parse(receivedAt))),
    ...report,
  };
  // All reports of a notification go to one partition.
  return { topic: interactionTopic, key: token.notificationId, row };
}

const isoTime = (milliseconds: number): string => new Date(milliseconds).toISOString();
