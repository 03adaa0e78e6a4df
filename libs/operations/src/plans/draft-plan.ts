import { type ObjectShape, type Plan, planBounds, type Property, type ValueType } from '@sluice/plans';

/** A path below an event's properties, with a type that ClickHouse found there and how many messages have it. */
export interface SeenPath {
  readonly path: string;
  /** ClickHouse's name: `Int64`, `Array(Nullable(String))`. */
  readonly type: string;
  readonly messages: number;
}

/** What was seen of one event. */
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
/** An object with more names than this has data as names, so it is left open. */
const maxNames = 100;

/** A text that may be a value of an enum, unlike an address or a text that someone wrote. */
const word = /^[\p{L}\p{N}_\-. ]{1,64}$/u;
const propertyName = /^[A-Za-z0-9_\-$]{1,64}$/;
const isName = (name: string): boolean => propertyName.test(name) && name !== '__proto__';

/** A tree of names: what one object holds. */
interface SeenObject {
  readonly values: Map<string, SeenPath[]>;
  readonly objects: Map<string, SeenObject>;
}

/** A plan for a person to read before it is imported. */
export interface PlanDraft {
  readonly plan: Plan;
  /** Events with too few messages to say what is required of them. */
  readonly rare: readonly string[];
}

/** Drafts a plan from what is stored. */
export function draftPlan(
  events: readonly SeenEvent[],
  { source, version, traits }: { source: string; version: number; traits?: SeenEvent },
): PlanDraft {
  const planned = events.filter(({ event }) => !event.startsWith('bb_notification_')).slice(0, planBounds.events);
  const plan: Plan = {
    version,
    sources: [source],
    mode: 'observe',
    events: Object.fromEntries(planned.map((seen) => [seen.event, shapeOf(seen)])),
    ...(traits && traits.messages > 0 && { traits: withoutRequired(shapeOf(traits)) }),
  };
  return { plan, rare: planned.filter(({ messages }) => messages < minDraftMessages).map(({ event }) => event) };
}

/** SDKs send only the traits that have changed, so none is required. */
function withoutRequired<T extends ObjectShape>(shape: T): T {
  const members = Object.entries(shape.properties ?? {}).map(([name, one]) => [name, withoutRequired(one)] as const);
  const kept = Object.entries(shape).filter(([word]) => word !== 'required');
  return { ...Object.fromEntries(kept), ...(shape.properties && { properties: Object.fromEntries(members) }) } as T;
}

const shapeOf = (seen: SeenEvent): ObjectShape => objectShape(treeOf(seen.paths), '', seen, 1);

function treeOf(paths: readonly SeenPath[]): SeenObject {
  const root: SeenObject = { values: new Map(), objects: new Map() };
  for (const one of paths) {
    const names = one.path.split('.');
    const last = names.pop() ?? '';
    const at = names.reduce((object, name) => memberOf(object.objects, name, newObject), root);
    memberOf(at.values, last, (): SeenPath[] => []).push(one);
  }
  return root;
}

const newObject = (): SeenObject => ({ values: new Map(), objects: new Map() });

function memberOf<T>(members: Map<string, T>, name: string, make: () => T): T {
  const known = members.get(name);
  if (known !== undefined) return known;
  const made = make();
  members.set(name, made);
  return made;
}

function objectShape(object: SeenObject, path: string, seen: SeenEvent, level: number): ObjectShape {
  const names = [...new Set([...object.values.keys(), ...object.objects.keys()])].sort();
  if (names.length > maxNames || level >= planBounds.depth) return {};
  const planned = names.filter(isName);
  const members = planned.map(
    (name) => [name, property(object, name, path === '' ? name : `${path}.${name}`, seen, level)] as const,
  );
  const isEnough = seen.messages >= minDraftMessages;
  const required = planned.filter((name) => isEnough && messagesWith(object, name) >= requiredShare * seen.messages);
  return {
    properties: Object.fromEntries(members),
    ...(required.length > 0 && { required }),
    ...(planned.length < names.length && { additionalProperties: true }),
  };
}

/** Number of messages with the member; for an object a lower bound, the number with its most frequent member. */
function messagesWith(object: SeenObject, name: string): number {
  const values = (object.values.get(name) ?? []).reduce((sum, { messages }) => sum + messages, 0);
  const nested = object.objects.get(name);
  const inside = nested
    ? [...nested.values.keys(), ...nested.objects.keys()].map((one) => messagesWith(nested, one))
    : [];
  return values + Math.max(0, ...inside);
}

function property(object: SeenObject, name: string, path: string, seen: SeenEvent, level: number): Property {
  const values = object.values.get(name) ?? [];
  const nested = object.objects.get(name);
  const kinds = kindsOf(values, messagesWith(object, name), nested !== undefined);
  const type = kinds.length === 1 ? kinds[0] : kinds;
  return {
    ...(kinds.length > 0 && type !== undefined && { type }),
    ...(nested && kinds.includes('object') && objectShape(nested, path, seen, level + 1)),
    ...(kinds.includes('array') && itemsOf(values)),
    ...enumOf(kinds, values, seen.texts.get(path) ?? []),
  };
}

/** The types that cover nearly all values, most frequent first; none if no types do. */
function kindsOf(values: readonly SeenPath[], messages: number, isObject: boolean): ValueType[] {
  const counts = new Map<ValueType, number>();
  const add = (type: ValueType, more: number) => counts.set(type, (counts.get(type) ?? 0) + more);
  let scalars = 0;
  for (const one of values) {
    scalars += one.messages;
    const type = typeOf(one.type);
    if (type) add(type, one.messages);
  }
  if (isObject) add('object', messages - scalars);
  mergeNumbers(counts);
  const kept: ValueType[] = [];
  let covered = 0;
  for (const [type, count] of [...counts].sort(([, a], [, b]) => b - a)) {
    if (covered >= typeShare * messages) break;
    kept.push(type);
    covered += count;
  }
  return covered >= typeShare * messages ? kept : [];
}

/** Counts integers as numbers if there are other numbers too, or few messages. */
function mergeNumbers(counts: Map<ValueType, number>): void {
  const whole = counts.get('integer');
  const some = counts.get('number');
  if (whole === undefined || (some === undefined && whole >= minDraftMessages)) return;
  counts.delete('integer');
  counts.set('number', whole + (some ?? 0));
}

function typeOf(type: string): ValueType | undefined {
  if (type === 'String') return 'string';
  if (type === 'Bool') return 'boolean';
  if (/^U?Int\d+$/.test(type)) return 'integer';
  if (/^Float\d+$/.test(type)) return 'number';
  return type.startsWith('Array(') ? 'array' : undefined;
}

/** Items of arrays that all hold the same scalars. */
function itemsOf(values: readonly SeenPath[]): { items?: Property } {
  const inner = new Set(values.map(({ type }) => /^Array\((?:Nullable\()?(\w+)\)*$/.exec(type)?.[1] ?? ''));
  const [only = ''] = inner;
  const type = inner.size === 1 ? typeOf(only) : undefined;
  if (type === undefined) return {};
  return { items: { type: type === 'integer' ? 'number' : type } };
}

function enumOf(
  kinds: readonly ValueType[],
  values: readonly SeenPath[],
  texts: readonly string[],
): { enum?: string[] } {
  const messages = values.reduce((sum, one) => sum + one.messages, 0);
  const isFew = texts.length > 0 && texts.length <= maxEnumValues && messages >= minDraftMessages;
  const areWords = texts.every((text) => word.test(text));
  return kinds.length === 1 && kinds[0] === 'string' && isFew && areWords ? { enum: [...texts].sort() } : {};
}
