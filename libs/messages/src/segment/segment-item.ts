import { type FreeForm, isObject } from '@sluice/contracts';
import { nameUuid } from '../name-uuid.js';
import { type Problem } from '../problem.js';

/** The calls of Segment's clients: docs/segment.md#what-becomes-what. */
export const segmentTypes = ['track', 'page', 'screen', 'group', 'identify', 'alias'] as const;
export type SegmentType = (typeof segmentTypes)[number];

/** What a request says of all its items. */
export interface SegmentDefaults {
  /** The call of items that do not name theirs: the last segment of the path. */
  type?: SegmentType | undefined;
  /** The batch's `context`, which an item's own overrides. */
  context?: FreeForm | undefined;
  /** The batch's `sentAt`, which an item's own overrides. */
  sentAt?: unknown;
}

/** An item in the members of `SegmentEvent` or `SegmentIdentify`, not checked yet. */
export interface SegmentItem {
  table: 'events' | 'identifies';
  message: FreeForm;
  /** The client's id of the message, the same in each of its tries; undefined if it sent none. */
  messageId: string | undefined;
}

/** Members without a meaning here. Every client sends some of them, so they are left out without a word. */
const silent: ReadonlySet<string> = new Set([
  ...['type', 'messageId', 'context', 'sentAt', 'originalTimestamp', 'receivedAt', 'version', 'channel'],
  ...['integrations', '_metadata', 'metadata', 'writeKey', 'projectId', 'request_ip'],
]);

const maxMessageId = 256;

/**
 * Turns an item of a batch, or the body of a single call, into a message.
 * @returns the problem of an item whose call is not known, or whose id is not valid
 */
export function segmentItem(item: unknown, path: string, defaults: SegmentDefaults): SegmentItem | Problem {
  const at = (name: string): string => (path === '' ? name : `${path}.${name}`);
  if (!isObject(item)) return { field: path, message: 'must be an object' };
  const type = item['type'] ?? defaults.type;
  if (!isSegmentType(type)) return { field: at('type'), message: `must be one of ${segmentTypes.join(', ')}` };
  const messageId = textOf(item['messageId']);
  if (messageId !== undefined && (typeof messageId !== 'string' || messageId.length > maxMessageId))
    return { field: at('messageId'), message: `must be text of at most ${maxMessageId} characters` };
  const table = type === 'identify' || type === 'alias' ? 'identifies' : 'events';
  const message = { ...membersOf[type](item), ...commonOf(item, type, defaults) };
  return { table, message, messageId: messageId === '' ? undefined : messageId };
}

const isSegmentType = (value: unknown): value is SegmentType => segmentTypes.some((type) => type === value);

/** The members that differ from call to call. */
const membersOf: Record<SegmentType, (item: FreeForm) => FreeForm> = {
  track: ({ event, properties, ...rest }) => ({ ...others(rest), event, properties }),
  page: (item) => viewOf(item, 'page'),
  screen: (item) => viewOf(item, 'screen'),
  group: ({ groupId, traits, ...rest }) => ({
    ...others(rest),
    event: 'group',
    properties: withMembers(traits, { groupId }),
  }),
  identify: ({ traits, ...rest }) => ({
    ...others(rest),
    traits: isEmpty(traits) ? traitsIn(rest['context']) : traits,
  }),
  // Ties the anonymous id to the user. Two users are not merged.
  alias: ({ previousId, ...rest }) => ({ ...others(rest), anonymousId: previousId }),
};

/** RudderStack's clients send the traits of `identify` in its context alone. */
const traitsIn = (context: unknown): unknown => (isObject(context) ? context['traits'] : undefined);

const isEmpty = (traits: unknown): boolean =>
  traits === undefined || traits === null || (isObject(traits) && Object.keys(traits).length === 0);

/** An event of a page or a screen: its name and category are properties, as warehouses have them. */
const viewOf = ({ name, category, properties, ...rest }: FreeForm, event: string): FreeForm => ({
  ...others(rest),
  event,
  properties: withMembers(properties, { name, category }),
});

const others = (rest: FreeForm): FreeForm =>
  Object.fromEntries(Object.entries(rest).filter(([name]) => !silent.has(name)));

/** An object with more members; a value that is not an object is left as it is, so that it is refused by its name. */
function withMembers(value: unknown, more: FreeForm): unknown {
  const present = Object.entries(more).filter(([, one]) => one !== undefined && one !== null);
  if (present.length === 0 || (value !== undefined && value !== null && !isObject(value))) return value;
  return { ...(value as FreeForm | undefined), ...Object.fromEntries(present) };
}

/** The members that all calls have. `timestamp` is stored as sent: no clock is corrected (docs/segment.md#what-becomes-what). */
function commonOf(item: FreeForm, type: SegmentType, defaults: SegmentDefaults): FreeForm {
  const sentAt = item['sentAt'] ?? defaults.sentAt;
  const context = withMembers(item['context'], {
    ...missingIn(item['context'], defaults.context),
    sent_at: typeof sentAt === 'string' ? sentAt : undefined,
  });
  return {
    userId: textOf(item['userId']),
    ...(type !== 'alias' && { anonymousId: textOf(item['anonymousId']) }),
    ...(type === 'alias' && { anonymousId: textOf(item['previousId']) }),
    timestamp: textOf(item['timestamp'] ?? item['originalTimestamp']),
    context,
  };
}

const missingIn = (own: unknown, all: FreeForm | undefined): FreeForm =>
  Object.fromEntries(Object.entries(all ?? {}).filter(([name]) => !isObject(own) || !Object.hasOwn(own, name)));

/** Ids that clients send as numbers are text, and an empty one is none, as Segment has it. */
const textOf = (value: unknown): unknown =>
  typeof value === 'number' ? String(value) : value === '' ? undefined : value;

/** Id of a source's message: the same in each try, whatever batch it is part of. */
export const segmentMessageId = (sourceIdentifier: string, messageId: string): string =>
  nameUuid([sourceIdentifier, 'segment', messageId]);
