import { type NotificationAdapter, type ReadEvent, type ShownNotification } from './notification-adapter.js';

/** The part of `@notifee/react-native`, and of libraries with the same API, that the SDK uses. */
export interface Notifee {
  displayNotification(notification: object): Promise<unknown>;
  onForegroundEvent(listener: (event: NotifeeEvent) => void): unknown;
  onBackgroundEvent(listener: (event: NotifeeEvent) => Promise<void>): unknown;
  getInitialNotification(): Promise<NotifeeEvent['detail'] | null>;
  getNotificationCategories(): Promise<{ readonly id: string }[]>;
  setNotificationCategories(categories: object[]): Promise<unknown>;
}

interface NotifeeEvent {
  readonly type: number;
  readonly detail: {
    readonly notification?: { readonly data?: object };
    readonly pressAction?: { readonly id: string };
  };
}

export interface NotifeeOptions {
  /** The Android channel; `createChannel` must have made it. */
  readonly channelId: string;
  /** More members of `android` of the notification: `smallIcon`, `color`, … */
  readonly android?: object;
  /** More members of `ios` of the notification: `sound`, … */
  readonly ios?: object;
}

/** Values of Notifee's EventType. */
const events = { dismissed: 0, press: 1, actionPress: 2 };

/** Style of a notification with a large image, of Notifee's AndroidStyle. */
const bigPicture = 0;

/** Opens the app. */
const launch = { launchActivity: 'default' };

/** Shows notifications with Notifee. Reports taps and dismissals in the foreground and in the background. */
export function notifeeAdapter(notifee: Notifee, { channelId, android, ios }: NotifeeOptions): NotificationAdapter {
  /** Settles after the last change of the categories. They are set as a whole, so two at once would undo each other. */
  let lastChange: Promise<unknown> = Promise.resolve();

  /** iOS shows the buttons of a category, which must exist before the notification. */
  async function addCategory(id: string, actions: ShownNotification['actions']): Promise<void> {
    const categories = await notifee.getNotificationCategories();
    if (categories.some((category) => category.id === id)) return;
    const buttons = actions.map(({ title }, index) => ({ id: String(index + 1), title, foreground: true }));
    await notifee.setNotificationCategories([...categories, { id, actions: buttons }]);
  }

  async function setCategory({ actions }: ShownNotification): Promise<string | undefined> {
    if (actions.length === 0) return undefined;
    const id = `sluice.${actions.map(({ title }) => encodeURIComponent(title)).join()}`;
    const addition = lastChange.then(() => addCategory(id, actions));
    lastChange = addition.catch(() => undefined);
    await addition;
    return id;
  }

  return {
    async show(pushNotification) {
      const { id, title, body, image, actions, data } = pushNotification;
      const categoryId = await setCategory(pushNotification);
      await notifee.displayNotification({
        id,
        title,
        body,
        data,
        android: {
          channelId,
          pressAction: { id: 'default', ...launch },
          ...(image !== undefined && { style: { type: bigPicture, picture: image } }),
          actions: actions.map((action, index) => ({
            title: action.title,
            pressAction: { id: String(index + 1), ...launch },
          })),
          ...android,
        },
        ios: {
          ...(categoryId !== undefined && { categoryId }),
          ...(image !== undefined && { attachments: [{ url: image }] }),
          ...ios,
        },
      });
    },
    read: (event) => readEvent(event as NotifeeEvent),
    subscribe(listener) {
      notifee.onForegroundEvent((event) => void listener(event));
      notifee.onBackgroundEvent(async (event) => {
        await listener(event);
      });
    },
    async initial() {
      const detail = await notifee.getInitialNotification();
      return detail && { type: buttonNumber(detail) > 0 ? events.actionPress : events.press, detail };
    },
  };
}

const buttonNumber = ({ pressAction }: NotifeeEvent['detail']): number => Number(pressAction?.id) || 0;

function readEvent({ type, detail }: NotifeeEvent): ReadEvent | null {
  const data = detail.notification?.data;
  if (type === events.press) return { data, interaction: 'clicked', button: 0 };
  if (type === events.actionPress) return { data, interaction: 'clicked', button: buttonNumber(detail) };
  return type === events.dismissed ? { data, interaction: 'closed' } : null;
}
