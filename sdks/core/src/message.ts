import { type Kind } from './batch.js';
import { FreeForm } from './free-form.js';

export type Properties = Readonly<Record<string, unknown>>;

/** A message as plugins see it. The SDK adds `context.sdk` afterwards. */
export interface Message {
  type: Kind;
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

/** A message that breaks a rule of the service. */
export class InvalidMessage extends Error {}

const personId = /^[\w\-.@:+|=~]{1,64}$/;
const eventName = /^[\w\-.]{1,64}$/;

export const isPersonId = (id: unknown): id is string => typeof id === 'string' && personId.test(id);

/**
 * Makes the text that is stored and sent. It never changes afterwards.
 * @throws InvalidMessage or InvalidName if the service would refuse it
 */
export function textOf(message: Message, sdk: SdkStamp, leftOut: (path: string, why: string) => void): string {
  const { type, userId, anonymousId, event, timestamp } = message;
  const isTrack = type === 'track';
  if (isTrack && !(typeof event === 'string' && eventName.test(event))) {
    throw new InvalidMessage('event must be 1 to 64 of the characters a-z A-Z 0-9 _ - .');
  }
  for (const id of [userId, anonymousId]) {
    if (id !== undefined && !isPersonId(id)) throw new InvalidMessage('userId or anonymousId breaks its rule');
  }
  const free = (name: 'properties' | 'traits'): object | undefined =>
    message[name] && new FreeForm(false, leftOut).object(objectOf(message[name], name), name);
  return JSON.stringify({
    userId,
    anonymousId,
    ...(isTrack ? { event, properties: free('properties') } : { traits: free('traits') }),
    // The stamp comes first, because the last members are left out if there are too many.
    context: new FreeForm(true, leftOut).object(
      Object.assign({ sdk }, objectOf(message.context ?? {}, 'context'), { sdk }),
      'context',
    ),
    timestamp,
  });
}

/** @throws InvalidMessage if the value is no object */
export function objectOf(value: unknown, field: string): object {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  throw new InvalidMessage(`${field} must be an object`);
}

const earliest = 0;
const latest = Date.UTC(2200, 0) - 1;
const dateTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/;

/** The time in the service's format; undefined outside 1970 to 2199. */
export const timestampOf = (ms: number): string | undefined =>
  ms >= earliest && ms <= latest ? new Date(ms).toISOString() : undefined;

/** @throws InvalidMessage for a time that the service would refuse */
export function givenTimestamp(time: Date | string): string {
  const isReadable = typeof time !== 'string' || dateTime.test(time);
  const timestamp = isReadable ? timestampOf(new Date(time).getTime()) : undefined;
  if (timestamp === undefined) throw new InvalidMessage('timestamp must be a date and time, years 1970 to 2199');
  return timestamp;
}
