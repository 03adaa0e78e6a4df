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
const deepest = 4;

/** Finds the service's payload in a message; null for one of another sender. */
export function payloadOf(message: unknown, depth = 0): Payload | null {
  const data = objectOf(message);
  const notification = readPush(data, maxActions);
  if (notification) return { notification, customData: customDataOf(data['customData']), data: textsOf(data) };
  if (depth === deepest) return null;
  for (const name of wrappers) {
    const found = data[name] === undefined ? null : payloadOf(data[name], depth + 1);
    if (found) return found;
  }
  return null;
}

/** The members of `customData` that are texts; push services deliver the object as a text. */
function customDataOf(given: unknown): Record<string, string> {
  const texts = Object.entries(objectOf(given)).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string',
  );
  return Object.fromEntries(texts);
}

function textsOf(data: Readonly<Record<string, unknown>>): Record<string, string> {
  const texts: Record<string, string> = {};
  for (const [name, value] of Object.entries(data)) {
    if (value !== undefined && value !== null) texts[name] = typeof value === 'string' ? value : JSON.stringify(value);
  }
  return texts;
}

function objectOf(given: unknown): Readonly<Record<string, unknown>> {
  const value = typeof given === 'string' ? attempt(() => JSON.parse(given) as unknown) : given;
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
}
