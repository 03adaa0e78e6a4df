import { attempt, type PushNotification, readPush } from '@sluice/sdk-core';

export interface Payload {
  readonly notification: PushNotification;
  readonly customData: Readonly<Record<string, string>>;
  /** The payload as texts, as libraries of notifications want it. */
  readonly data: Readonly<Record<string, string>>;
}

const maxActions = 3;

/** Members under which libraries give the data of a message. */
const wrappers = ['data', 'notification', 'request', 'content'];
const maxDepth = 4;

/** Finds the service's payload in a message; null for one of another sender. */
export function findPayload(message: unknown, depth = 0): Payload | null {
  const data = toObjectOrEmpty(message);
  const notification = readPush(data, maxActions);
  if (notification) return { notification, customData: readCustomData(data['customData']), data: toTexts(data) };
  if (depth === maxDepth) return null;
  for (const name of wrappers) {
    const payload = data[name] === undefined ? null : findPayload(data[name], depth + 1);
    if (payload) return payload;
  }
  return null;
}

/** The members of `customData` that are texts; push services deliver the object as a text. */
function readCustomData(customData: unknown): Record<string, string> {
  const texts = Object.entries(toObjectOrEmpty(customData)).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string',
  );
  return Object.fromEntries(texts);
}

function toTexts(data: Readonly<Record<string, unknown>>): Record<string, string> {
  const texts: Record<string, string> = {};
  for (const [name, value] of Object.entries(data)) {
    if (value !== undefined && value !== null) texts[name] = typeof value === 'string' ? value : JSON.stringify(value);
  }
  return texts;
}

function toObjectOrEmpty(data: unknown): Readonly<Record<string, unknown>> {
  const value = typeof data === 'string' ? attempt(() => JSON.parse(data) as unknown) : data;
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
}
