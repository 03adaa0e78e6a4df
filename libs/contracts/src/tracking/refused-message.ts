import { withTopicPrefix } from '../installation.js';
import { type Topic } from '../topic.js';
import { type RowOrigin } from './rows.js';

/** Messages that a gateway refused and kept whole. Rows of `refused_messages`. */
export const refusedMessageTopic = {
  name: withTopicPrefix('tracking.refused.v1'),
  contract: 'refused-message.v1',
} as const satisfies Topic;

/** Why a message was refused: by a tracking plan, or because it is not a message of the API. */
export type RefusalReason = 'plan' | 'invalid_fields';

/**
 * A row of the table `refused_messages`: the value of a message in `tracking.refused.v1`. Its origin and `message_id` are
 * those that the row of the message would have had.
 */
export interface RefusedMessageRow extends RowOrigin {
  message_id: string;
  user_id: string | undefined;
  anonymous_id: string | undefined;
  /** When it took place, ISO 8601 UTC; the arrival if that is not known. */
  timestamp: string;
  /** `segment` for an item as a client of Segment sent it: docs/segment.md. */
  kind: 'track' | 'identify' | 'segment';
  /** Name of the event; undefined for an identify message, or when it is not a text. */
  event: string | undefined;
  reason: RefusalReason;
  /** Version of the plan that refused it; undefined when no plan did. */
  plan_version: number | undefined;
  /** Rule and path of each violation of the plan. */
  violations: readonly string[] | undefined;
  /** Entries of the answer about it, as a JSON text. */
  problems: string;
  user_agent: string | undefined;
  country: string | undefined;
  /** The message as sent, as JSON text, without what field rules leave out; cut off if it is very long. */
  body: string;
}
