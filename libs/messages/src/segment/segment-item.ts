import { type FreeForm, isObject } from '@sluice/contracts';
import { nameUuid } from '../name-uuid.js';
import { type Problem } from '../problem.js';
import { join } from '../report.js';
import { type SegmentDefaults, sentAtName } from './segment-defaults.js';
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

/** Why an item cannot be read as a message, and the id that its client gave it. */
export type RefusedItem = Problem & Partial<Pick<SegmentItem, 'messageId'>>;

/**
 * Members that are not reported as unknown, because every client sends some of them: some are read here, the others
 * mean nothing.
 */
const silent = [
  ...['type', 'messageId', 'context', 'sentAt', 'originalTimestamp', 'receivedAt', 'version', 'channel'],
  ...['integrations', '_metadata', 'metadata', 'writeKey', 'projectId', 'request_ip'],
];

const maxMessageId = 256;

/**
 * Turns an item of a batch, or the body of a single call, into a message.
 * @returns the problem of an item whose call is not known, or whose id is not valid
 */
export function segmentItem(item: unknown, path: string, defaults: SharedMembers): SegmentItem | RefusedItem {
  if (!isObject(item)) return { field: path, message: 'must be an object' };
  const messageId = textOf(item['messageId']);
  if (messageId !== undefined && (typeof messageId !== 'string' || messageId.length > maxMessageId))
    return { field: join(path, 'messageId'), message: `must be text of at most ${maxMessageId} characters` };
  const type = item['type'] ?? defaults.type;
  if (!isSegmentType(type))
    return { field: join(path, 'type'), message: `must be one of ${segmentTypes.join(', ')}`, messageId };
  const { known, make } = membersOf[type];
  const message = make(item);
  message['userId'] = textOf(item['userId']);
  // An alias ties the anonymous id to the user. Two users are not merged.
  message['anonymousId'] = textOf(item[type === 'alias' ? 'previousId' : 'anonymousId']);
  // Stored as sent: no clock is corrected (docs/segment.md#what-becomes-what).
  message['timestamp'] = textOf(item['timestamp'] ?? item['originalTimestamp']);
  message['context'] = contextOf(item, defaults);
  return {
    type,
    table: type === 'identify' || type === 'alias' ? 'identifies' : 'events',
    message: withUnknown(item, known, message),
    messageId,
  };
}

const isSegmentType = (value: unknown): value is SegmentType =>
  typeof value === 'string' && Object.hasOwn(membersOf, value);

/** The members that differ from call to call. */
interface CallMembers {
  /** Names of all members of an item that the message is made from, or that are left out. */
  readonly known: ReadonlySet<string>;
  /** Returns a new object. */
  make: (item: FreeForm) => FreeForm;
}

const call = (names: readonly string[], make: (item: FreeForm) => FreeForm): CallMembers => ({
  known: new Set([...silent, 'userId', 'anonymousId', 'timestamp', ...names]),
  make,
});

/** An event of a page or a screen: its name and category are properties, as warehouses have them. */
const view = (event: string): CallMembers =>
  call(['event', 'name', 'category', 'properties'], ({ name, category, properties }) => ({
    event,
    properties: withMembers(properties, { name, category }),
  }));

const membersOf: Record<SegmentType, CallMembers> = {
  track: call(['event', 'properties'], ({ event, properties }) => ({ event, properties })),
  page: view('page'),
  screen: view('screen'),
  group: call(['event', 'groupId', 'properties', 'traits'], ({ groupId, traits }) => ({
    event: 'group',
    properties: withMembers(traits, { groupId }),
  })),
  identify: call(['traits'], ({ traits, context }) => ({ traits: isEmpty(traits) ? traitsIn(context) : traits })),
  alias: call(['previousId'], () => ({})),
};

/** RudderStack's clients send the traits of `identify` in its context alone. */
const traitsIn = (context: unknown): unknown => (isObject(context) ? context['traits'] : undefined);

const isEmpty = (traits: unknown): boolean =>
  traits === undefined || traits === null || (isObject(traits) && Object.keys(traits).length === 0);

/** Adds the item's other members to the message, whose check reports them. Most items have none. */
function withUnknown(item: FreeForm, known: ReadonlySet<string>, message: FreeForm): FreeForm {
  for (const name in item) {
    if (known.has(name)) continue;
    return { ...Object.fromEntries(Object.entries(item).filter(([other]) => !known.has(other))), ...message };
  }
  return message;
}

/** Whether members can be added to a value; any other value stays as it is, and is refused under its own name. */
const takesMembers = (value: unknown): value is FreeForm | null | undefined =>
  value === undefined || value === null || isObject(value);

/** Adds members to an object; other values stay as they are. */
function withMembers(value: unknown, more: FreeForm): unknown {
  const present = Object.entries(more).filter(([, one]) => one !== undefined && one !== null);
  return present.length > 0 && takesMembers(value) ? { ...value, ...Object.fromEntries(present) } : value;
}

/** The context of an item, with the members that its batch has for all items. */
function contextOf(item: FreeForm, { context: shared, sentContext, sentAt: sentWithBatch }: SharedMembers): unknown {
  const { context: own, sentAt: sentWithItem } = item;
  // Most items of a batch with a context have none: they share one object.
  if (shared && (own === undefined || own === null) && sentWithItem === undefined) return shared;
  const sentAt = typeof sentWithItem === 'string' ? sentWithItem : sentWithBatch;
  const context = shared && sentContext ? withMembers(own, missingIn(own, shared)) : own;
  return sentAt !== undefined && takesMembers(context) ? { ...context, [sentAtName]: sentAt } : context;
}

const missingIn = (own: unknown, all: FreeForm): FreeForm =>
  Object.fromEntries(Object.entries(all).filter(([name]) => !isObject(own) || !Object.hasOwn(own, name)));

/** Makes text of a number, because clients send ids as numbers. An empty text counts as none, as with Segment. */
const textOf = (value: unknown): unknown =>
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
