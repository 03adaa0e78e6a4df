import { type FreeForm, isDateTime, isObject } from '@sluice/contracts';
import { nameUuid } from '../name-uuid.js';
import { type Problem } from '../problem.js';
import { joinPath } from '../report.js';
import { sentAtName } from '../sent-at.js';
import { type SegmentDefaults } from './segment-defaults.js';
import { type SegmentType, segmentTypes } from './segment-type.js';

type SharedMembers = Omit<SegmentDefaults, 'bytes'>;

/** An item with the members of `SegmentEvent` or `SegmentIdentify`, not checked yet. */
export interface SegmentItem {
  type: SegmentType;
  table: 'events' | 'identifies';
  message: FreeForm;
  /** The client's id of the message, the same in each of its tries; undefined if it sent none. */
  messageId: string | undefined;
}

/** The reason for which an item cannot be read as a message, and the id that its client gave it. */
export type RefusedItem = Problem & Partial<Pick<SegmentItem, 'messageId'>>;

/**
 * Members that are not reported as unknown, because every client sends some of them: some are read here, the others
 * mean nothing.
 */
const unreportedMembers = [
  ...['type', 'messageId', 'context', 'sentAt', 'originalTimestamp', 'receivedAt', 'version', 'channel'],
  ...['integrations', '_metadata', 'metadata', 'writeKey', 'projectId', 'request_ip'],
];

const maxMessageId = 256;

/**
 * Turns an item of a batch, or the body of a single call, into a message.
 * @returns the problem of an item whose call is not known, or whose id is not valid
 */
export function readSegmentItem(item: unknown, path: string, defaults: SharedMembers): SegmentItem | RefusedItem {
  if (!isObject(item)) return { field: path, message: 'must be an object' };
  const messageId = toText(item['messageId'] ?? undefined);
  if (messageId !== undefined && (typeof messageId !== 'string' || messageId.length > maxMessageId))
    return { field: joinPath(path, 'messageId'), message: `must be text of at most ${maxMessageId} characters` };
  const type = item['type'] ?? defaults.type;
  if (!isSegmentType(type))
    return { field: joinPath(path, 'type'), message: `must be one of ${segmentTypes.join(', ')}`, messageId };
  const { names, makeMessage } = callMembers[type];
  const message = makeMessage(item);
  message['userId'] = toText(item['userId']);
  // An alias ties the anonymous id to the user. Two users are not merged.
  message['anonymousId'] = toText(item[type === 'alias' ? 'previousId' : 'anonymousId']);
  // Stored as sent: no clock is corrected (docs/segment.md#what-becomes-what).
  message['timestamp'] = toText(item['timestamp'] ?? item['originalTimestamp']);
  message['context'] = buildContext(item, defaults);
  return {
    type,
    table: type === 'identify' || type === 'alias' ? 'identifies' : 'events',
    message: addUnknown(item, names, message),
    messageId,
  };
}

/** The time that is stored for an item whose `timestamp` is not a date and time, and the words of the answer. */
export interface ReplacementTime {
  /** Undefined for the time of arrival. */
  readonly timestamp: string | undefined;
  readonly dropped: string;
}

/** The time that takes the place of a bad `timestamp`: that of `originalTimestamp` if it is good, else of arrival. */
export function chooseReplacementTime(item: unknown): ReplacementTime {
  const original = isObject(item) ? item['originalTimestamp'] : undefined;
  return typeof original === 'string' && isDateTime(original)
    ? { timestamp: original, dropped: 'not a date and time, originalTimestamp is stored' }
    : { timestamp: undefined, dropped: 'not a date and time, the time of arrival is stored' };
}

const isSegmentType = (value: unknown): value is SegmentType =>
  typeof value === 'string' && Object.hasOwn(callMembers, value);

/** The members that differ from call to call. */
interface CallMembers {
  /** Names of all members of an item that the message is made from, or that are left out. */
  readonly names: ReadonlySet<string>;
  /** Returns a new object. */
  makeMessage: (item: FreeForm) => FreeForm;
}

const defineCall = (names: readonly string[], makeMessage: (item: FreeForm) => FreeForm): CallMembers => ({
  names: new Set([...unreportedMembers, 'userId', 'anonymousId', 'timestamp', ...names]),
  makeMessage,
});

/** An event of a page or a screen: its name and category are properties, as warehouses have them. */
const defineView = (event: string): CallMembers =>
  defineCall(['event', 'name', 'category', 'properties'], ({ name, category, properties }) => ({
    event,
    properties: addMembers(properties, { name, category }),
  }));

const callMembers: Record<SegmentType, CallMembers> = {
  track: defineCall(['event', 'properties'], ({ event, properties }) => ({ event, properties })),
  page: defineView('page'),
  screen: defineView('screen'),
  group: defineCall(['event', 'groupId', 'properties', 'traits'], ({ groupId, traits }) => ({
    event: 'group',
    properties: addMembers(traits, { groupId }),
  })),
  identify: defineCall(['traits'], ({ traits, context }) => ({
    traits: isEmpty(traits) ? readTraits(context) : traits,
  })),
  alias: defineCall(['previousId'], () => ({})),
};

/** RudderStack's clients send the traits of `identify` in its context alone. */
const readTraits = (context: unknown): unknown => (isObject(context) ? context['traits'] : undefined);

const isEmpty = (traits: unknown): boolean =>
  traits === undefined || traits === null || (isObject(traits) && Object.keys(traits).length === 0);

/** Adds the item's other members to the message, whose check reports them. Most items have none. */
function addUnknown(item: FreeForm, names: ReadonlySet<string>, message: FreeForm): FreeForm {
  for (const name in item) {
    if (names.has(name)) continue;
    return { ...Object.fromEntries(Object.entries(item).filter(([memberName]) => !names.has(memberName))), ...message };
  }
  return message;
}

/** Whether members can be added to a value; any other value stays as it is, and is refused under its own name. */
const takesMembers = (value: unknown): value is FreeForm | null | undefined =>
  value === undefined || value === null || isObject(value);

/** Adds members to an object; other values stay as they are. */
function addMembers(value: unknown, members: FreeForm): unknown {
  const present = Object.entries(members).filter(([, member]) => member !== undefined && member !== null);
  return present.length > 0 && takesMembers(value) ? { ...value, ...Object.fromEntries(present) } : value;
}

/** The context of an item, with the members that its batch has for all items. */
function buildContext(item: FreeForm, { context: shared, sentContext, sentAt: sentWithBatch }: SharedMembers): unknown {
  const { context: itemContext, sentAt: sentWithItem } = item;
  // Most items of a batch with a context have none: they share one object.
  if (shared && (itemContext === undefined || itemContext === null) && sentWithItem === undefined) return shared;
  const sentAt = typeof sentWithItem === 'string' ? sentWithItem : sentWithBatch;
  const context = shared && sentContext ? addMembers(itemContext, missingMembers(itemContext, shared)) : itemContext;
  return sentAt !== undefined && takesMembers(context) ? { ...context, [sentAtName]: sentAt } : context;
}

const missingMembers = (itemContext: unknown, defaults: FreeForm): FreeForm =>
  Object.fromEntries(
    Object.entries(defaults).filter(([name]) => !isObject(itemContext) || !Object.hasOwn(itemContext, name)),
  );

/** Makes text of a number, because clients send ids as numbers. An empty text counts as none, as with Segment. */
const toText = (value: unknown): unknown =>
  typeof value === 'number' ? String(value) : value === '' ? undefined : value;

/**
 * Id of a source's message: the same in each try, whatever batch it is part of. Lone surrogates all have the same bytes in
 * UTF-8, so an id with one is escaped before it is hashed. Escaping every id took a third of the time.
 */
export const segmentMessageId = (sourceIdentifier: string, messageId: string): string =>
  nameUuid(
    messageId.isWellFormed()
      ? `segment:${sourceIdentifier}:${messageId}`
      : `escaped:${sourceIdentifier}:${JSON.stringify(messageId)}`,
  );
