import {
  type EventRow,
  type IdentifyMessage,
  type IdentifyRow,
  parseDateTime,
  type RowOrigin,
  type TrackMessage,
} from '@sluice/contracts';
import { productIds } from './product-ids.js';

/** Columns of a tracking row that its message does not have. */
export interface RowFacts {
  origin: RowOrigin;
  messageId: string;
  userAgent: string | undefined;
  country: string | undefined;
  /** Verdict of the source's plan; undefined without a plan. */
  verdict: PlanVerdict | undefined;
}

/** The version of the plan that judged a message, and the rule and path of each violation. */
export interface PlanVerdict {
  readonly planVersion: number;
  readonly violations: readonly string[];
}

/** The row of `events` for a message that a `MessageReader` has read. */
export const eventRow = (
  message: TrackMessage,
  { origin, messageId, userAgent, country, verdict }: RowFacts,
): EventRow => ({
  ...origin,
  message_id: messageId,
  user_id: message.userId ?? undefined,
  anonymous_id: message.anonymousId ?? undefined,
  timestamp: rowTimestamp(message, origin),
  user_agent: userAgent,
  country,
  plan_version: verdict?.planVersion,
  violations: nonEmptyViolations(verdict),
  event: message.event,
  product_ids: productIds(message.properties),
  properties: message.properties ?? undefined,
  context: message.context ?? undefined,
});

/** The row of `identifies` for a message that a `MessageReader` has read. */
export const identifyRow = (
  message: IdentifyMessage,
  { origin, messageId, userAgent, country, verdict }: RowFacts,
): IdentifyRow => ({
  ...origin,
  message_id: messageId,
  user_id: message.userId ?? undefined,
  anonymous_id: message.anonymousId ?? undefined,
  timestamp: rowTimestamp(message, origin),
  user_agent: userAgent,
  country,
  plan_version: verdict?.planVersion,
  violations: nonEmptyViolations(verdict),
  traits: message.traits ?? undefined,
  context: message.context ?? undefined,
});

const nonEmptyViolations = (verdict: PlanVerdict | undefined): readonly string[] | undefined =>
  verdict && verdict.violations.length > 0 ? verdict.violations : undefined;

/** Key of all messages of a person, which go to one partition in the order of their arrival. */
export const personKey = ({ userId, anonymousId }: TrackMessage | IdentifyMessage, sourceIdentifier: string): string =>
  `${sourceIdentifier}:${userId ?? anonymousId ?? ''}`;

const rowTimePattern = /^.{10}T.{8}\.\d{3}Z$/;

/** Time of the event in ISO 8601, UTC, with milliseconds; the time of arrival if the client did not send one. */
export function rowTimestamp(
  { timestamp }: TrackMessage | IdentifyMessage,
  { received_at: receivedAt }: Pick<RowOrigin, 'received_at'>,
): string {
  if (timestamp === undefined || timestamp === null) return receivedAt;
  // Most clients send exactly this form, which is valid already and needs no conversion.
  if (rowTimePattern.test(timestamp)) return timestamp;
  return new Date(parseDateTime(timestamp)).toISOString();
}
