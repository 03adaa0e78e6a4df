import { copyFreeForm } from './free-form.js';

export type Properties = Readonly<Record<string, unknown>>;

/** A message as plugins see it. The SDK adds `context.sdk` afterwards. */
export interface Message {
  type: 'track' | 'identify';
  userId?: string | undefined;
  anonymousId?: string | undefined;
  event?: string | undefined;
  properties?: object | undefined;
  traits?: object | undefined;
  context?: object | undefined;
  /** ISO 8601 time; the time of arrival if left out. */
  timestamp?: string | undefined;
}

/** Identifies a message in its stream and counts the messages that the device has given up. */
export interface SdkStamp {
  readonly name: string;
  readonly version: string;
  readonly device: string;
  readonly stream: string;
  readonly seq: number;
  readonly lost: number;
}

/** Registers a device: the service counts it as people, not as an event. */
export const registrationEvent = 'bb_notification_registered';

const personId = /^[\w\-.@:+|=~]{1,64}$/;
const eventName = /^[\w\-.]{1,64}$/;

const isMatch = (rule: RegExp, value: unknown): value is string => typeof value === 'string' && rule.test(value);

export const isPersonId = (id: unknown): id is string => isMatch(personId, id);

/**
 * Makes the text that is stored and sent. It never changes afterwards.
 * @throws if a part breaks its rule; the caller checks the size
 */
export function formatMessage(message: Message, sdk: SdkStamp, leftOut: (path: string) => void): string {
  const { type, userId, anonymousId, event, timestamp } = message;
  const isTrack = type === 'track';
  check(!isTrack || isMatch(eventName, event), 'event');
  for (const id of [userId, anonymousId]) check(id === undefined || isPersonId(id), 'userId or anonymousId');
  const copyMember = (name: 'properties' | 'traits'): object | undefined =>
    message[name] == null ? undefined : copyFreeForm(requireObject(message[name], name), name, false, leftOut);
  return JSON.stringify({
    userId,
    anonymousId,
    ...(isTrack ? { event, properties: copyMember('properties') } : { traits: copyMember('traits') }),
    // The stamp comes first, because the last members are left out if there are too many.
    context: copyFreeForm(
      Object.assign({ sdk }, requireObject(message.context ?? {}, 'context'), { sdk }),
      'context',
      true,
      leftOut,
    ),
    timestamp,
  });
}

/** @throws if a part of a message breaks its rule (docs/api.md) */
export function check(isRight: boolean, part: string): asserts isRight {
  if (!isRight) throw new Error(`${part} breaks its rule`);
}

/** @throws if the value is not an object */
export function requireObject(value: unknown, part: string): object {
  check(typeof value === 'object' && value !== null && !Array.isArray(value), part);
  return value;
}

const dateTime = /^\d{4}-\d\d-\d\dT[\d:.]+(Z|[+-]\d\d:\d\d)$/;

/** 2149-06-07, the end of the range that the service accepts. */
const endOfTimes = 5_662_310_400_000;

/** The time in the service's format; undefined outside 1970-01-01 to 2149-06-06. */
export const formatTimestamp = (ms: number): string | undefined =>
  ms >= 0 && ms < endOfTimes ? new Date(ms).toISOString() : undefined;

/** @throws for a time that the service would refuse */
export function requireTimestamp(time: Date | string): string {
  const isReadable = typeof time !== 'string' || dateTime.test(time);
  const timestamp = isReadable ? formatTimestamp(Number(new Date(time))) : undefined;
  check(timestamp !== undefined, 'timestamp');
  return timestamp;
}
