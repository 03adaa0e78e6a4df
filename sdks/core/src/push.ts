import { meaningOf } from './answer.js';
import { attempt } from './attempt.js';
import { type Client, type Plugin } from './client.js';
import { type Message } from './message.js';
import { type Clock, type Transport } from './ports.js';
import { answerTo } from './request.js';
import { waitAfter } from './retry-policy.js';

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
  const given = objectOf(data);
  const { id, ...texts } = textsOf(given, ['id', 'title', 'body', 'image', 'icon', 'badge', 'action']);
  if (given['source'] !== serviceSourceTag || !id) return null;
  const actions = parsed(given['actions']);
  return {
    id,
    title: '',
    ...texts,
    // Most platforms deliver all values of a data message as texts.
    requireInteraction: String(given['requireInteraction']) === 'true',
    actions: Array.isArray(actions) ? actions.map(objectOf).filter(isTitled).map(actionOf).slice(0, maxActions) : [],
  };
}

const isTitled = ({ title }: Given): boolean => typeof title === 'string';
const actionOf = (given: Given): PushAction => ({ title: '', ...textsOf(given, ['title', 'action']) });

type Given = Readonly<Record<string, unknown>>;

function objectOf(data: unknown): Given {
  const value = parsed(data);
  return typeof value === 'object' && value ? (value as Given) : {};
}

const parsed = (data: unknown): unknown =>
  typeof data === 'string' ? attempt(() => JSON.parse(data) as unknown) : data;

/** The named members that are texts with content. */
const textsOf = (given: Given, names: readonly string[]): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(given).filter(([name, value]) => names.includes(name) && value && typeof value === 'string'),
  ) as Readonly<Record<string, string>>;

export interface Interacted {
  readonly interaction: Interaction;
  /** Target of a click: 0 for the body, else the position of the button. */
  readonly button?: number | undefined;
  /** Reason of a failure. */
  readonly reason?: string | undefined;
}

/** Target of a click on the body, which is button 0, or on a button. */
export const targetOf = ({ action, actions }: PushNotification, button: number): string | undefined =>
  button > 0 ? actions[button - 1]?.action : action;

/** The event and the callback that report an interaction (docs/push.md#callbacks, docs/push.md#events). */
export function reportOf(notification: PushNotification, interacted: Interacted, isWeb: boolean) {
  const { id } = notification;
  const { interaction, button = 0, reason } = interacted;
  const isClick = interaction === 'clicked';
  const url = isClick ? targetOf(notification, button) : undefined;
  const query = [`token=${encoded(id)}`];
  if (url !== undefined && Array.from(url).length <= maxTargetLength) query.push(`url=${encoded(url)}`);
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
  client: Pick<Client, 'track'>,
  { transport, clock, random }: CallbackPorts,
  report: ReturnType<typeof reportOf> & { host: string },
): Promise<void> {
  client.track(report.event, report.properties);
  const sleep = (ms: number): Promise<void> =>
    new Promise((resolve) => {
      clock.later(ms, resolve);
    });
  await callBack(transport, report.host + report.path, sleep, random.fraction);
}

/** Calls back. Resolves when the callback is answered or has been tried three times. */
export async function callBack(
  transport: Transport,
  url: string,
  sleep: (ms: number) => Promise<void>,
  fraction: () => number = Math.random,
): Promise<void> {
  for (let tries = 1; ; tries++) {
    const is = meaningOf(await answerTo(transport, { method: 'GET', url, headers: {}, keepalive: true }));
    if ((is !== 'later' && is !== 'unknown') || tries === callbackTries) return;
    await sleep(waitAfter(tries, 0, fraction()));
  }
}

/** Turns `track('notification_registered', { key })` into a registration (docs/push.md#events). */
export function registersPush(deviceId: () => string | undefined): Plugin {
  return (message: Message): Message =>
    message.event === 'notification_registered'
      ? {
          ...message,
          event: 'bb_notification_registered',
          properties: { ...message.properties, sdk: 'WEB', device_id: deviceId() },
        }
      : message;
}

/** Percent-encodes all but the unreserved characters of RFC 3986, so that SDKs in all languages agree. */
const encoded = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
