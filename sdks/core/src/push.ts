import { verdictOf } from './answer.js';
import { type Client } from './client.js';
import { type Message } from './message.js';
import { type Plugin } from './options.js';
import { type HttpAnswer, type Ports } from './ports.js';
import { waitAfter } from './retry-policy.js';

/** Value of `source` in the service's payloads, as in contract/service-source-tag.json. */
export const serviceSourceTag = 'sluice-push';

const longestTarget = 2_048;
const callbackTries = 3;

export type Interaction = 'delivered' | 'clicked' | 'closed' | 'failed' | 'opened';

/** Last part of each callback's path (docs/push.md#callbacks). */
const callbacks: Readonly<Record<Interaction, string>> = {
  delivered: 'delivered',
  clicked: 'click',
  closed: 'close',
  failed: 'failed',
  opened: 'open',
};

export interface PushAction {
  readonly title: string;
  readonly action?: string | undefined;
}

/** Notification described by a payload of the service. */
export interface PushNotification {
  readonly id: string;
  readonly title: string;
  readonly body?: string | undefined;
  readonly image?: string | undefined;
  readonly icon?: string | undefined;
  readonly badge?: string | undefined;
  readonly requireInteraction: boolean;
  /** Target of a click on the body. */
  readonly action?: string | undefined;
  readonly actions: readonly PushAction[];
}

/** Reads a payload; null if it is not from the service and must be ignored. @param mostActions buttons shown at most */
export function readPush(data: unknown, mostActions: number): PushNotification | null {
  const given = objectOf(data);
  const text = (name: string): string | undefined => {
    const value = given[name];
    return typeof value === 'string' && value !== '' ? value : undefined;
  };
  const id = text('id');
  if (given['source'] !== serviceSourceTag || id === undefined) return null;
  return {
    id,
    title: text('title') ?? '',
    body: text('body'),
    image: text('image'),
    icon: text('icon'),
    badge: text('badge'),
    // Most platforms deliver all values of a data message as texts.
    requireInteraction: String(given['requireInteraction']) === 'true',
    action: text('action'),
    actions: actionsOf(given['actions']).slice(0, mostActions),
  };
}

export interface Interacted {
  readonly interaction: Interaction;
  /** Target of a click: 0 for the body, else the position of the button. */
  readonly button?: number | undefined;
  /** Reason of a failure. */
  readonly reason?: string | undefined;
}

/** The event and the callback that report an interaction (docs/push.md#callbacks, docs/push.md#events). */
export function reportOf({ id, action, actions }: PushNotification, interacted: Interacted, isWeb: boolean) {
  const { interaction, button = 0, reason } = interacted;
  const isClick = interaction === 'clicked';
  const url = isClick ? (button > 0 ? actions[button - 1]?.action : action) : undefined;
  const query = [`token=${encoded(id)}`];
  if (url !== undefined && Array.from(url).length <= longestTarget) query.push(`url=${encoded(url)}`);
  if (isClick && isWeb) query.push(`button=${button}`);
  return {
    event: `bb_notification_${interaction}`,
    properties: {
      id,
      actionId: isClick && button > 0 ? String(button) : undefined,
      url,
      reason: interaction === 'failed' ? reason : undefined,
    },
    path: `/api/tracker/general/${callbacks[interaction]}?${query.join('&')}`,
  };
}

/**
 * Queues the event, then calls back. Either alone is enough, because the service makes one row of both.
 * Resolves when the callback is answered or has been tried three times.
 */
export async function reportInteraction(
  client: Pick<Client, 'track'>,
  { transport, clock, random }: Pick<Ports, 'transport' | 'clock' | 'random'>,
  report: ReturnType<typeof reportOf> & { host: string },
): Promise<void> {
  client.track(report.event, report.properties);
  for (let tries = 1; ; tries++) {
    const { answer } = transport.send({ method: 'GET', url: report.host + report.path, headers: {}, keepalive: true });
    const known: HttpAnswer | undefined = await answer.catch(() => undefined);
    if (verdictOf(known).is !== 'later' || tries === callbackTries) return;
    await new Promise<void>((resolve) => clock.later(waitAfter(tries, 0, random.fraction()), resolve));
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

function objectOf(data: unknown): Readonly<Record<string, unknown>> {
  const value = typeof data === 'string' ? parsed(data) : data;
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

function actionsOf(value: unknown): PushAction[] {
  const list = typeof value === 'string' ? parsed(value) : value;
  if (!Array.isArray(list)) return [];
  return list.flatMap((item: unknown) => {
    const { title, action } = objectOf(item);
    if (typeof title !== 'string') return [];
    return [{ title, action: typeof action === 'string' && action !== '' ? action : undefined }];
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Percent-encodes all but the unreserved characters of RFC 3986, so that SDKs in all languages agree. */
const encoded = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
