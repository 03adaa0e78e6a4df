import {
  attempt,
  callBack,
  type Client,
  type Clock,
  type Interacted,
  buildReport,
  type Transport,
} from '@sluice/sdk-core';
import { type NativeParts } from '../native/native-parts.js';
import { isPromise } from '../storage/steps.js';
import { type NotificationAdapter, type NotificationInteraction } from './notification-adapter.js';
import { type Payload, findPayload } from './payload.js';

/**
 * - `shown`: the notification is displayed, and that was reported (on iOS only while the app is in use).
 * - `failed`: it could not be displayed, and that was reported.
 * - `foreign`: the message is not from Sluice; nothing was done with it.
 * - `disabled`: the client is disabled or has no consent; nothing was done.
 */
export type Handled = 'shown' | 'failed' | 'foreign' | 'disabled';

export interface Notifications {
  /**
   * Shows the notification of a push message, given as its data or as the whole object. Resolves when it is shown and
   * reported, so that a background handler can wait for it: in at most 30 seconds, plus the time of the adapter.
   */
  handle(message: unknown): Promise<Handled>;
  /** Reports an event of the adapter's library. Null unless it is about a notification of Sluice. */
  handleEvent(event: unknown): Promise<NotificationInteraction | null>;
  /** Reports what the user did with the notification of this data, for an app without an adapter. */
  interacted(
    data: unknown,
    interacted: { readonly interaction: 'clicked' | 'closed'; readonly button?: number },
  ): Promise<NotificationInteraction | null>;
  /** Registers the push token of this device. Returns true if the registration was queued. */
  refreshToken(token: string): boolean;
}

export interface NotificationParts {
  readonly client: Client;
  readonly host: string;
  readonly native: NativeParts;
  readonly transport: Transport;
  readonly clock: Clock;
  readonly adapter: NotificationAdapter | undefined;
  readonly onInteraction: ((interaction: NotificationInteraction) => unknown) | undefined;
  /** Resolves when ids can be read. */
  readonly ready: Promise<unknown>;
  isGranted(): boolean;
  saved(): Promise<unknown>;
  readonly setDeviceToken: (token: string) => boolean;
}

/** Systems end a background task after 30 seconds or less. */
const maxForStore = 5_000;
const maxForNetwork = 20_000;
const maxRemembered = 100;

/** Returns functions that work without their object and give the app no access to the parts. */
export function createNotifications(parts: NotificationParts): Notifications {
  const notifications = new PushNotifications(parts);
  return {
    handle: (message) => notifications.handle(message),
    handleEvent: (event) => notifications.handleEvent(event),
    interacted: (data, interacted) => notifications.act(data, interacted),
    refreshToken: parts.setDeviceToken,
  };
}

/** Shows push messages and reports what becomes of them. No method throws or rejects. */
class PushNotifications {
  /** Interactions of this run: a library may report one in the background and again when the app opens. */
  private readonly seenInteractions = new Set<string>();

  constructor(private readonly parts: NotificationParts) {
    const { adapter } = parts;
    attempt(() => adapter?.subscribe?.((event) => this.handleEvent(event)));
    attempt(() => {
      adapter?.initial?.().then(
        (event) => (event ? this.handleEvent(event, true) : undefined),
        () => undefined,
      );
    });
  }

  async handle(message: unknown): Promise<Handled> {
    const payload = findPayload(message);
    if (!payload) return 'foreign';
    await this.parts.ready;
    return this.parts.isGranted() ? this.show(payload) : 'disabled';
  }

  async handleEvent(event: unknown, isLaunch = false): Promise<NotificationInteraction | null> {
    const adapterEvent = attempt(() => this.parts.adapter?.read(event));
    return adapterEvent ? this.act(adapterEvent.data, adapterEvent, isLaunch) : null;
  }

  async act(data: unknown, interacted: Interacted, isLaunch = false): Promise<NotificationInteraction | null> {
    const { native, onInteraction } = this.parts;
    const payload = findPayload(data);
    if (!payload) return null;
    const wasActive = !isLaunch && this.isActive();
    const { interaction, button = 0 } = interacted;
    const { id } = payload.notification;
    const { url, actionId } = buildReport(payload.notification, interacted, false).properties;
    const reported: NotificationInteraction = {
      id,
      interaction,
      customData: payload.customData,
      ...(actionId !== undefined && { actionId }),
      ...(url !== undefined && { url }),
    };
    if (this.isRepeated(`${id} ${interaction} ${button}`)) return reported;
    const isOpened = attempt(() => onInteraction?.(reported));
    if (url) void this.openUnless(isOpened, url);
    await this.parts.ready;
    if (!this.parts.isGranted()) return reported;
    await this.report(payload, interacted);
    const isOpening = interaction === 'clicked' && button === 0 && url === undefined && !wasActive;
    if (isOpening && native.Platform.OS === 'android') await this.report(payload, { interaction: 'opened' });
    return reported;
  }

  /** Opens the target of a tap, unless the app's handler says, at once or by a promise, that it has opened it. */
  private async openUnless(isOpened: unknown, url: string): Promise<void> {
    // Without a promise at once: the system lets an app open something only right after the tap.
    const answer = isPromise(isOpened) ? await isOpened.catch(() => undefined) : isOpened;
    if (answer !== true) attempt(() => void this.parts.native.Linking.openURL(url).catch(() => undefined));
  }

  /** Remembers an interaction. Returns true if it was seen before. */
  private isRepeated(name: string): boolean {
    const { seenInteractions } = this;
    if (seenInteractions.has(name)) return true;
    seenInteractions.add(name);
    for (const oldest of seenInteractions) if (seenInteractions.size > maxRemembered) seenInteractions.delete(oldest);
    return false;
  }

  private async show(payload: Payload): Promise<Handled> {
    const { native, adapter } = this.parts;
    const { notification, data } = payload;
    const { id, title, body, image, actions } = notification;
    try {
      if (!adapter) throw new Error('no adapter shows notifications');
      await adapter.show({ id, title, actions, data, ...(body && { body }), ...(image && { image }) });
    } catch (reason) {
      await this.report(payload, { interaction: 'failed', reason: String(reason) });
      return 'failed';
    }
    // On iOS only a notification that is shown while the app is in use counts as delivered (docs/sdk/react-native.md).
    if (native.Platform.OS !== 'ios' || this.isActive()) await this.report(payload, { interaction: 'delivered' });
    return 'shown';
  }

  /** Stores the event before the callback is made. In the background the queue is sent too. */
  private async report({ notification }: Payload, interacted: Interacted): Promise<void> {
    const { client, host, transport } = this.parts;
    const { event, properties, path } = buildReport(notification, interacted, false);
    client.track(event, properties);
    await this.within(maxForStore, this.parts.saved());
    const calledBack = callBack(transport, host + path, {
      sleep: (ms) => this.sleep(ms),
      // A denied or closed client has no ids.
      isWanted: () => client.deviceId !== undefined,
    });
    await this.within(maxForNetwork, Promise.all([calledBack, this.isActive() ? undefined : client.flush()]));
  }

  private isActive(): boolean {
    return this.parts.native.AppState.currentState === 'active';
  }

  /** Resolves when the work has ended, even by a failure, or after this time. */
  private within(ms: number, work: Promise<unknown>): Promise<unknown> {
    return new Promise((resolve) => {
      const cancel = this.parts.clock.later(ms, () => resolve(undefined));
      const end = (): void => {
        cancel();
        resolve(undefined);
      };
      work.then(end, end);
    });
  }

  private sleep(ms: number): Promise<void> {
    return new Promise((resolve) => {
      this.parts.clock.later(ms, resolve);
    });
  }
}
