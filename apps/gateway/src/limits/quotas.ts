import { deviceTopic, identifyTopic, interactionTopic, refusedMessageTopic, trackTopic } from '@sluice/contracts';

/** A daily quota: of events and catalog entities, or of people and their devices (decision 96). */
export type Quota = 'events' | 'people';

/** Numbers of messages by the quota that counts them. */
export type QuotaCounts = Record<Quota, number>;

/** Event by which a device registers its push token: docs/push.md#events. */
export const registrationEvent = 'bb_notification_registered';

/** Topics whose rows accompany a message that is counted, or keep one that is refused. */
const uncounted: ReadonlySet<string> = new Set(
  [deviceTopic, interactionTopic, refusedMessageTopic].map(({ name }) => name),
);

/** Quota that counts the row; undefined if none does. */
export function findQuota(topic: string, row: object): Quota | undefined {
  if (topic === trackTopic.name) return 'event' in row && row.event === registrationEvent ? 'people' : 'events';
  if (topic === identifyTopic.name) return 'people';
  return uncounted.has(topic) ? undefined : 'events';
}

/**
 * Whether the row is stored when only this quota has room. Refused messages are not: the client repeats its request.
 */
export function isWithin(quota: Quota, topic: string, row: object): boolean {
  if (topic === deviceTopic.name) return quota === 'people';
  if (topic === interactionTopic.name) return quota === 'events';
  return findQuota(topic, row) === quota;
}
