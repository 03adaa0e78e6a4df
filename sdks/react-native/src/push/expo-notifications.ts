import { type NotificationAdapter, type ShownNotification } from './notification-adapter.js';

/** The part of `expo-notifications` that the SDK uses. */
export interface ExpoNotifications {
  readonly DEFAULT_ACTION_IDENTIFIER: string;
  scheduleNotificationAsync(request: object): Promise<unknown>;
  setNotificationCategoryAsync(id: string, actions: object[], options?: object): Promise<unknown>;
  addNotificationResponseReceivedListener(listener: (response: ExpoResponse) => void): unknown;
  getLastNotificationResponseAsync(): Promise<ExpoResponse | null>;
  /** Since SDK 53. */
  clearLastNotificationResponseAsync?(): Promise<void>;
}

interface ExpoResponse {
  readonly actionIdentifier: string;
  readonly notification: { readonly request: { readonly content: { readonly data?: object | null } } };
}

export interface ExpoNotificationsOptions {
  /** The Android channel; `setNotificationChannelAsync` must have made it. */
  readonly channelId?: string;
  /** More members of the notification's content: `sound`, `color`, … */
  readonly content?: object;
}

/** Shows notifications with expo-notifications. It does not show images, nor report dismissals on Android. */
export function expoNotificationsAdapter(
  expo: ExpoNotifications,
  { channelId, content }: ExpoNotificationsOptions = {},
): NotificationAdapter {
  /** Buttons belong to a category, whose id must consist of letters and digits. */
  async function setCategory({ actions }: ShownNotification): Promise<string | undefined> {
    if (actions.length === 0) return undefined;
    const id = `sluice${Array.from(actions.map(({ title }) => title).join('\n'), (sign) => sign.codePointAt(0)?.toString(36)).join('')}`;
    const buttons = actions.map(({ title }, index) => ({ identifier: String(index + 1), buttonTitle: title }));
    await expo.setNotificationCategoryAsync(id, buttons, { customDismissAction: true });
    return id;
  }

  return {
    async show(pushNotification) {
      const { id, title, body, data } = pushNotification;
      const categoryIdentifier = await setCategory(pushNotification);
      await expo.scheduleNotificationAsync({
        identifier: id,
        content: { title, body, data, ...(categoryIdentifier !== undefined && { categoryIdentifier }), ...content },
        // Without a time, it is shown at once.
        trigger: channelId === undefined ? null : { channelId },
      });
    },
    read(event) {
      const { actionIdentifier, notification } = event as ExpoResponse;
      const { data } = notification.request.content;
      if (actionIdentifier === expo.DEFAULT_ACTION_IDENTIFIER) return { data, interaction: 'clicked', button: 0 };
      const button = Number(actionIdentifier);
      return button > 0 ? { data, interaction: 'clicked', button } : { data, interaction: 'closed' };
    },
    subscribe(listener) {
      expo.addNotificationResponseReceivedListener((response) => void listener(response));
    },
    async initial() {
      const response = await expo.getLastNotificationResponseAsync();
      // The next launch must not find it again.
      await expo.clearLastNotificationResponseAsync?.();
      return response;
    },
  };
}
