import { randomUUID } from 'node:crypto';
import { type createClickHouse } from '@sluice/clickhouse';
import { isPlaceholderId } from '@sluice/contracts';
import { type Random } from '@sluice/testing';
import { type PersonId } from '../privacy/people.js';

export const source = 'AbCdEf123456';
const hourMs = 3_600_000;
const began = Date.parse('2026-03-01T00:00:00Z');

/** A message or a push interaction with the ids that it came under. */
export interface Said {
  readonly table: 'events' | 'identifies' | 'push_interactions';
  readonly id: string;
  readonly userId: string;
  readonly anonymousId: string;
  /** Set in push interactions alone. */
  readonly profileId: string;
  readonly timestamp: number;
  readonly receivedAt: number;
}

const placeholders = [
  'undefined',
  'NULL',
  'NaN',
  '0',
  '00000000-0000-0000-0000-000000000000',
  '[object Object]',
  'guest',
];
const shared = ['x-1', 'x-2', 'x-3', 'x-4'];
export const userIds = [...shared, ...placeholders, 'u-1', 'u-2', 'u-3', 'u-4', 'u-5', 'u-6', 'null-1', '1000'];
export const anonymousIds = [
  ...shared,
  ...placeholders,
  ...Array.from({ length: 14 }, (_, index) => `a-${index}`),
  ...['x-5', 'u-2'],
];

/** Messages of a few people, most of which share ids; some are said to have taken place after they arrived. */
export function randomMessages(random: Random, count: number, since = began): Said[] {
  return Array.from({ length: count }, () => {
    const table = random.pick(['events', 'events', 'identifies', 'identifies', 'push_interactions'] as const);
    const [hasUser, hasAnonymous] = random.pick([
      [true, true],
      [true, true],
      [true, false],
      [false, true],
    ] as const);
    const timestamp = since + random.below(300) * hourMs;
    return {
      table,
      id: randomUUID(),
      userId: hasUser ? random.pick(userIds) : '',
      anonymousId: hasAnonymous ? random.pick(anonymousIds) : '',
      profileId: table === 'push_interactions' && random.chance(0.5) ? random.pick(userIds) : '',
      timestamp,
      receivedAt: timestamp + random.pick([0, 1, 5, 200, -3]) * hourMs,
    };
  });
}

const inRow = (time: number): string => new Date(time).toISOString();

/** Inserts the rows of messages; a second call stores each again, as after a replay. */
export async function store(client: ReturnType<typeof createClickHouse>, messages: readonly Said[]): Promise<void> {
  const clickhouse_settings = { date_time_input_format: 'best_effort', insert_deduplicate: 0 } as const;
  for (const [table, values] of Object.entries(makeRows(messages)))
    await client.insert({ table, values, format: 'JSONEachRow', clickhouse_settings });
}

function makeRows(messages: readonly Said[]): Record<string, Record<string, unknown>[]> {
  const rows: Record<string, Record<string, unknown>[]> = { events: [], identifies: [], push_interactions: [] };
  for (const { table, id, userId, anonymousId, profileId, timestamp, receivedAt } of messages) {
    const common = {
      ...{ source_id: source, user_id: userId, anonymous_id: anonymousId, request_id: id },
      received_at: inRow(receivedAt),
    };
    const row = { ...common, message_id: id, timestamp: inRow(timestamp) };
    if (table === 'events') rows['events']?.push({ ...row, event: 'step', properties: { id } });
    else if (table === 'identifies') rows['identifies']?.push({ ...row, traits: { id } });
    else
      rows['push_interactions']?.push({
        ...{ ...common, campaign_id: 'spring', notification_id: id, interaction: 'delivered', profile_id: profileId },
        ...{ issued_at: inRow(began), occurred_at: inRow(timestamp), reported_by: ['callback'] },
      });
  }
  return rows;
}

/** Until when the links of an id are forgotten, by kind and id. */
export type Forgotten = ReadonlyMap<string, number>;
export const forgottenKey = ({ kind, id }: Pick<PersonId, 'kind' | 'id'>): string => `${kind}:${id}`;

/** The rules of docs/tables.md for linking people, in plain JavaScript, to compare the views with. */
export class People {
  /** The first user who claims each anonymous id, with the time, and all users who do. */
  readonly links = new Map<string, { user: string; saidAt: number; users: Set<string> }>();

  constructor(
    readonly messages: readonly Said[],
    private readonly forgotten: Forgotten,
  ) {
    for (const message of messages) {
      const { userId, anonymousId, timestamp, receivedAt } = message;
      if (message.table !== 'identifies' || !this.ties(message)) continue;
      const saidAt = Math.min(timestamp, receivedAt);
      const link = this.links.get(anonymousId) ?? { user: userId, saidAt, users: new Set() };
      link.users.add(userId);
      if (saidAt < link.saidAt || (saidAt === link.saidAt && userId < link.user))
        Object.assign(link, { user: userId, saidAt });
      this.links.set(anonymousId, link);
    }
  }

  /** The person of a message: a user, or an anonymous id that belongs to none. */
  personOf({ userId, anonymousId }: Said): string {
    if (userId !== '') return `user:${userId}`;
    const link = this.links.get(anonymousId);
    return link ? `user:${link.user}` : `anonymous:${anonymousId}`;
  }

  /** Ids of the messages that a timeline shows. */
  timelineOf(person: string): string[] {
    const isUser = this.messages.some(({ userId, profileId }) => [userId, profileId].includes(person));
    const user = isUser ? person : this.links.get(person)?.user;
    const personDevices = new Set(user === undefined ? [person] : this.devicesBelongingTo(user));
    const isOwn = (id: string): boolean => id !== '' && personDevices.has(id);
    const isShown = ({ table, userId, anonymousId, profileId }: Said): boolean =>
      table === 'push_interactions'
        ? (user !== undefined && [userId, profileId].includes(user)) || isOwn(anonymousId)
        : userId === ''
          ? isOwn(anonymousId)
          : userId === user;
    return this.messages
      .filter(isShown)
      .map(({ id }) => id)
      .sort();
  }

  /** Anonymous ids that are erased with a user, as they were seen together and belong to nobody else. */
  devicesErasedWith(user: string): string[] {
    const userIds = this.messages
      .filter((message) => message.table !== 'push_interactions' && message.userId === user && this.ties(message))
      .map(({ anonymousId }) => anonymousId);
    return [...new Set(userIds)].filter((id) => [undefined, user].includes(this.links.get(id)?.user)).sort();
  }

  private devicesBelongingTo(user: string): string[] {
    return [...this.links].filter(([, link]) => link.user === user).map(([id]) => id);
  }

  /** True if a message has two ids of people, and arrived after the links of both were forgotten. */
  private ties({ userId, anonymousId, receivedAt }: Said): boolean {
    if (isPlaceholderId(userId) || isPlaceholderId(anonymousId)) return false;
    const until = (kind: 'user' | 'anonymous', id: string): number =>
      this.forgotten.get(forgottenKey({ kind, id })) ?? -Infinity;
    return receivedAt > until('user', userId) && receivedAt > until('anonymous', anonymousId);
  }
}
