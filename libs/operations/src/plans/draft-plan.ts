import { type ObjectShape, type Plan, planBounds, type Property, type ValueType } from '@sluice/plans';

/** A path below an event's properties, with a type that ClickHouse found there and how many messages have it. */
export interface SeenPath {
  readonly path: string;
  /** ClickHouse's name: `Int64`, `Array(Nullable(String))`. */
  readonly type: string;
  readonly messages: number;
}

/** Paths and texts of the messages of one event. */
export interface SeenEvent {
  readonly event: string;
  /** Messages that were looked at. */
  readonly messages: number;
  readonly paths: readonly SeenPath[];
  /** Different texts of a path, at most one more than an enum may have. */
  readonly texts: ReadonlyMap<string, readonly string[]>;
}

/** Share of the values of a path that its types must cover. The rest are taken for mistakes. */
const typeShare = 0.99;
/** Share of the messages that must have a path for it to be required. */
const requiredShare = 0.999;
const maxEnumValues = 20;
/** Below this number of messages, nothing is called required, an enum or an integer: more messages may differ. */
export const minDraftMessages = 1_000;
/** Max number of names of an object; with more, its names are data, so the object is left open. */
const maxNames = 100;

/** A text that may be a value of an enum, unlike an address or a text that someone wrote. */
const word = /^[\p{L}\p{N}_\-. ]{1,64}$/u;
const propertyName = /^[A-Za-z0-9_\-$]{1,64}$/;
const isName = (name: string): boolean => propertyName.test(name) && name !== '__proto__';

/** A tree of names: the members of one object. */
interface SeenObject {
  readonly values: Map<string, SeenPath[]>;
  readonly objects: Map<string, SeenObject>;
}

/** A plan for a person to read before it is imported. */
export interface PlanDraft {
  readonly plan: Plan;
  /** Events with too few messages to know which properties are required. */
  readonly rare: readonly string[];
}

/** Drafts a plan from stored messages. */
export function draftPlan(
  events: readonly SeenEvent[],
  { source, version, traits }: { source: string; version: number; traits?: SeenEvent },
): PlanDraft {
  const plannedEvents = events.filter(({ event }) => !event.startsWith('bb_notification_')).slice(0, planBounds.events);
  const plan: Plan = {
    version,
    sources: [source],
    mode: 'observe',
    events: Object.fromEntries(plannedEvents.map((seenEvent) => [seenEvent.event, draftShape(seenEvent)])),
    ...(traits && traits.messages > 0 && { traits: omitRequired(draftShape(traits)) }),
  };
  return { plan, rare: plannedEvents.filter(({ messages }) => messages < minDraftMessages).map(({ event }) => event) };
}

/** SDKs send only the traits that have changed, so none is required. */
function omitRequired<T extends ObjectShape>(shape: T): T {
  const members = Object.entries(shape.properties ?? {}).map(([name, member]) => [name, omitRequired(member)] as const);
  const otherMembers = Object.entries(shape).filter(([keyword]) => keyword !== 'required');
  return {
    ...Object.fromEntries(otherMembers),
    ...(shape.properties && { properties: Object.fromEntries(members) }),
  } as T;
}

const draftShape = (seenEvent: SeenEvent): ObjectShape => draftObject(buildTree(seenEvent.paths), '', seenEvent, 1);

function buildTree(paths: readonly SeenPath[]): SeenObject {
  const root: SeenObject = { values: new Map(), objects: new Map() };
  for (const seenPath of paths) {
    const names = seenPath.path.split('.');
    const leafName = names.pop() ?? '';
    const parent = names.reduce((object, name) => ensureMember(object.objects, name, makeObject), root);
    ensureMember(parent.values, leafName, (): SeenPath[] => []).push(seenPath);
  }
  return root;
}

const makeObject = (): SeenObject => ({ values: new Map(), objects: new Map() });

function ensureMember<T>(members: Map<string, T>, name: string, make: () => T): T {
  const existing = members.get(name);
  if (existing !== undefined) return existing;
  const member = make();
  members.set(name, member);
  return member;
}

function draftObject(object: SeenObject, path: string, seenEvent: SeenEvent, level: number): ObjectShape {
  const names = [...new Set([...object.values.keys(), ...object.objects.keys()])].sort();
  if (names.length > maxNames || level >= planBounds.depth) return {};
  const plannedNames = names.filter(isName);
  const members = plannedNames.map(
    (name) => [name, draftProperty(object, name, path === '' ? name : `${path}.${name}`, seenEvent, level)] as const,
  );
  const isEnough = seenEvent.messages >= minDraftMessages;
  const required = plannedNames.filter(
    (name) => isEnough && countMessagesWith(object, name) >= requiredShare * seenEvent.messages,
  );
  return {
    properties: Object.fromEntries(members),
    ...(required.length > 0 && { required }),
    ...(plannedNames.length < names.length && { additionalProperties: true }),
  };
}

/** Number of messages with the member; for an object a lower bound, the number with its most frequent member. */
function countMessagesWith(object: SeenObject, name: string): number {
  const values = (object.values.get(name) ?? []).reduce((sum, { messages }) => sum + messages, 0);
  const nested = object.objects.get(name);
  const nestedCounts = nested
    ? [...nested.values.keys(), ...nested.objects.keys()].map((nestedName) => countMessagesWith(nested, nestedName))
    : [];
  return values + Math.max(0, ...nestedCounts);
}

function draftProperty(object: SeenObject, name: string, path: string, seenEvent: SeenEvent, level: number): Property {
  const values = object.values.get(name) ?? [];
  const nested = object.objects.get(name);
  const types = chooseTypes(values, countMessagesWith(object, name), nested !== undefined);
  const type = types.length === 1 ? types[0] : types;
  return {
    ...(types.length > 0 && type !== undefined && { type }),
    ...(nested && types.includes('object') && draftObject(nested, path, seenEvent, level + 1)),
    ...(types.includes('array') && draftItems(values)),
    ...draftEnum(types, values, seenEvent.texts.get(path) ?? []),
  };
}

/** The types that cover nearly all values, most frequent first; none if no types do. */
function chooseTypes(values: readonly SeenPath[], messages: number, isObject: boolean): ValueType[] {
  const counts = new Map<ValueType, number>();
  const add = (type: ValueType, addedMessages: number) => counts.set(type, (counts.get(type) ?? 0) + addedMessages);
  let scalars = 0;
  for (const seenPath of values) {
    scalars += seenPath.messages;
    const type = toValueType(seenPath.type);
    if (type) add(type, seenPath.messages);
  }
  if (isObject) add('object', messages - scalars);
  mergeNumbers(counts);
  const types: ValueType[] = [];
  let covered = 0;
  for (const [type, count] of [...counts].sort(([, a], [, b]) => b - a)) {
    if (covered >= typeShare * messages) break;
    types.push(type);
    covered += count;
  }
  return covered >= typeShare * messages ? types : [];
}

/** Counts integers as numbers if there are other numbers too, or few messages. */
function mergeNumbers(counts: Map<ValueType, number>): void {
  const integers = counts.get('integer');
  const decimals = counts.get('number');
  if (integers === undefined || (decimals === undefined && integers >= minDraftMessages)) return;
  counts.delete('integer');
  counts.set('number', integers + (decimals ?? 0));
}

function toValueType(type: string): ValueType | undefined {
  if (type === 'String') return 'string';
  if (type === 'Bool') return 'boolean';
  if (/^U?Int\d+$/.test(type)) return 'integer';
  if (/^Float\d+$/.test(type)) return 'number';
  return type.startsWith('Array(') ? 'array' : undefined;
}

/** Items of arrays that all hold the same scalars. */
function draftItems(values: readonly SeenPath[]): { items?: Property } {
  const itemTypes = new Set(values.map(({ type }) => /^Array\((?:Nullable\()?(\w+)\)*$/.exec(type)?.[1] ?? ''));
  const [itemType = ''] = itemTypes;
  const type = itemTypes.size === 1 ? toValueType(itemType) : undefined;
  if (type === undefined) return {};
  return { items: { type: type === 'integer' ? 'number' : type } };
}

function draftEnum(
  types: readonly ValueType[],
  values: readonly SeenPath[],
  texts: readonly string[],
): { enum?: string[] } {
  const messages = values.reduce((sum, seenPath) => sum + seenPath.messages, 0);
  const isFew = texts.length > 0 && texts.length <= maxEnumValues && messages >= minDraftMessages;
  const areWords = texts.every((text) => word.test(text));
  return types.length === 1 && types[0] === 'string' && isFew && areWords ? { enum: [...texts].sort() } : {};
}
