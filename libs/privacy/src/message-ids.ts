import { identifyTopic, isObject, trackTopic } from '@sluice/contracts';

/** The ids of a message; undefined and empty ids are none. */
export interface MessageIds {
  readonly userId?: string | null | undefined;
  readonly anonymousId?: string | null | undefined;
  /** The user whom a push notification was for, by its token. */
  readonly profileId?: string | null | undefined;
  /** The former id of a user, by an alias. */
  readonly previousId?: string | null | undefined;
  /** Group id of a Segment `group` call. If it equals a user's id, the group is that user's own account. */
  readonly groupId?: string | null | undefined;
}

/** The event of a call of Segment's `group`. */
export const groupEvent = 'group';

/** Columns of a row by which it names people. */
interface NamingRow {
  readonly source_id?: unknown;
  readonly user_id?: unknown;
  readonly anonymous_id?: unknown;
  readonly profile_id?: unknown;
  readonly event?: unknown;
  readonly properties?: unknown;
}

/**
 * Ids by which the row of a topic names people: docs/privacy.md#who-a-person-is. An alias is a row of `identifies`, whose
 * anonymous id is the former id: the row does not say whether that was a user's.
 */
export function readIds(topic: string, row: NamingRow): MessageIds {
  const anonymousId = readText(row.anonymous_id);
  return {
    userId: readText(row.user_id),
    anonymousId,
    profileId: readText(row.profile_id),
    previousId: topic === identifyTopic.name ? anonymousId : undefined,
    groupId: topic === trackTopic.name && row.event === groupEvent ? readGroupId(row.properties) : undefined,
  };
}

/** Clients send ids as numbers too; the id of a group is stored as sent. */
function readGroupId(properties: unknown): string | undefined {
  const groupId = isObject(properties) ? properties['groupId'] : undefined;
  return typeof groupId === 'number' ? String(groupId) : readText(groupId);
}

const readText = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
