import { classifyAnswer } from './sending/answer.js';
import { attempt } from './ports/attempt.js';
import { type Client, type Plugin } from './client/client.js';
import { type Message, registrationEvent } from './message/message.js';
import { type Clock, type MaybePromise, type Transport } from './ports/ports.js';
import { sendRequest } from './sending/request.js';
import { waitAfter } from './sending/retry-policy.js';

/** Value of `source` in the service's payloads, as in contract/service-source-tag.json. */
export const serviceSourceTag = 'sluice-push';

const maxTargetLength = 2_048;
const callbackTries = 3;

export type Interaction = 'delivered' | 'clicked' | 'closed' | 'failed' | 'opened';

/** Last part of a callback's path, where it is not the interaction (docs/push.md#callbacks). */
const callbacks: Partial<Record<Interaction, string>> = { clicked: 'click', closed: 'close', opened: 'open' };

export interface PushAction {
  readonly title: string;
  readonly action?: string;
}

/** Notification described by a payload of the service. Members that the payload does not give are left out. */
export interface PushNotification {
  readonly id: string;
  readonly title: string;
  readonly body?: string;
  readonly image?: string;
  readonly icon?: string;
  readonly badge?: string;
  readonly requireInteraction: boolean;
  /** Target of a click on the body. */
  readonly action?: string;
  readonly actions: readonly PushAction[];
}

/** Reads a payload; null if it is not from the service and must be ignored. @param maxActions buttons shown at most */
export function readPush(data: unknown, maxActions: number): PushNotification | null {
  const payload = parseObject(data);
  const { id, ...texts } = readTexts(payload, ['id', 'title', 'body', 'image', 'icon', 'badge', 'action']);
  if (payload['source'] !== serviceSourceTag || !id) return null;
  const actions = parseJson(payload['actions']);
  return {
    id,
    title: '',
    ...texts,
    // Most platforms deliver all values of a data message as texts.
    requireInteraction: String(payload['requireInteraction']) === 'true',
    actions: Array.isArray(actions)
      ? actions.map(parseObject).filter(isTitled).map(readAction).slice(0, maxActions)
      : [],
  };
}

const isTitled = ({ title }: Payload): boolean => typeof title === 'string';
const readAction = (member: Payload): PushAction => ({ title: '', ...readTexts(member, ['title', 'action']) });

type Payload = Readonly<Record<string, unknown>>;

function parseObject(data: unknown): Payload {
  const value = parseJson(data);
  return typeof value === 'object' && value ? (value as Payload) : {};
}

const parseJson = (data: unknown): unknown =>
  typeof data === 'string' ? attempt(() => JSON.parse(data) as unknown) : data;

/** The named members that are texts with content. */
const readTexts = (payload: Payload, names: readonly string[]): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(payload).filter(([name, value]) => names.includes(name) && value && typeof value === 'string'),
  ) as Readonly<Record<string, string>>;

export interface Interacted {
  readonly interaction: Interaction;
  /** Target of a click: 0 for the body, else the position of the button. */
  readonly button?: number | undefined;
  /** Reason of a failure. */
  readonly reason?: string | undefined;
}

/** Target of a click on the body, which is button 0, or on a button. */
export const notificationTarget = ({ action, actions }: PushNotification, button: number): string | undefined =>
  button > 0 ? actions[button - 1]?.action : action;

/** The event and the callback that report an interaction (docs/push.md#callbacks, docs/push.md#events). */
export function buildReport(notification: PushNotification, interacted: Interacted, isWeb: boolean) {
  const { id } = notification;
  const { interaction, button = 0, reason } = interacted;
  const isClick = interaction === 'clicked';
  const url = isClick ? notificationTarget(notification, button) : undefined;
  const query = [`token=${percentEncode(id)}`];
  if (url !== undefined && Array.from(url).length <= maxTargetLength) query.push(`url=${percentEncode(url)}`);
  if (isClick && isWeb) query.push(`button=${button}`);
  return {
    event: `bb_notification_${interaction}`,
    properties: {
      id,
      actionId: isClick && button > 0 ? `${button}` : undefined,
      url,
      reason,
    },
    path: `/api/tracker/general/${callbacks[interaction] ?? interaction}?${query.join('&')}`,
  };
}

interface CallbackPorts {
  readonly transport: Transport;
  readonly clock: Clock;
  readonly random: { readonly fraction: () => number };
}

/**
 * Queues the event, then calls back. Either alone is enough, because the service makes one row of both.
 * Resolves when the callback is answered or has been tried three times.
 */
export async function reportInteraction(
  client: Pick<Client, 'track' | 'deviceId'>,
  { transport, clock, random }: CallbackPorts,
  report: ReturnType<typeof buildReport> & { host: string },
): Promise<void> {
  client.track(report.event, report.properties);
  const sleep = (ms: number): Promise<void> =>
    new Promise((resolve) => {
      clock.later(ms, resolve);
    });
  // A denied or closed client has no ids.
  const isWanted = (): boolean => client.deviceId !== undefined;
  await callBack(transport, report.host + report.path, { sleep, fraction: random.fraction, isWanted });
}

interface CallbackTries {
  readonly sleep: (ms: number) => Promise<void>;
  readonly fraction?: () => number;
  /** False once consent is denied or the client is closed: the callback is not tried again. */
  readonly isWanted: () => MaybePromise<boolean>;
}

/** Calls back. Resolves when the callback is answered, has been tried three times, or is no longer wanted. */
export async function callBack(
  transport: Transport,
  url: string,
  { sleep, fraction = Math.random, isWanted }: CallbackTries,
): Promise<void> {
  for (let tries = 1; ; tries++) {
    const meaning = classifyAnswer(await sendRequest(transport, { method: 'GET', url, headers: {}, keepalive: true }));
    if ((meaning !== 'later' && meaning !== 'unknown') || tries === callbackTries) return;
    await sleep(waitAfter(tries, 0, fraction()));
    if (!(await isWanted())) return;
  }
}

/** Turns `track('notification_registered', { key })` into a registration (docs/push.md#events). */
export function registersPush(deviceId: () => string | undefined): Plugin {
  return (message: Message): Message =>
    message.event === 'notification_registered'
      ? {
          ...message,
          event: registrationEvent,
          properties: { ...message.properties, sdk: 'WEB', device_id: deviceId() },
        }
      : message;
}

/** Percent-encodes all but the unreserved characters of RFC 3986, so that SDKs in all languages agree. */
const percentEncode = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
