import { type RowOrigin } from '../tracking/rows.js';

/** An event in the life of a notification: docs/push.md#callbacks. */
export type Interaction = 'delivered' | 'clicked' | 'closed' | 'failed' | 'opened';

/**
 * A report of an interaction, a row of the table `push_interactions`: the value of a message in `push.interaction.v1`.
 * All reports of one interaction of one notification become one row.
 */
export interface InteractionRow extends RowOrigin {
  campaign_id: string;
  notification_id: string;
  interaction: Interaction;
  variation_id: string;
  profile_id: string;
  channel: string;
  provider: string;
  /** When the token was made, ISO 8601 UTC. */
  issued_at: string;
  /** When it happened, ISO 8601 UTC: never before the token was made, nor after the report arrived. */
  occurred_at: string;
  /** Target of the click. */
  url?: string;
  /** Tapped part: 0 is the body, 1 and 2 are the buttons. */
  button?: number;
  action_id?: string;
  /** Reason of a failure. */
  reason?: string;
  user_id?: string;
  anonymous_id?: string;
  /** The way by which this report came; the merged row lists all ways. */
  reported_by: ['callback' | 'event'];
}

/** A row of the table `push_devices`: the value of a message in `push.device.v1`. See docs/push.md#events. */
export interface DeviceRow extends RowOrigin {
  device_id: string;
  /** The push token of the device. */
  key: string;
  sdk?: string;
  package_name?: string;
  user_id?: string;
  anonymous_id?: string;
  /** ISO 8601 UTC, never after the registration arrived. */
  registered_at: string;
}
