import { type Message } from '@sluice/sdk-core';
import { type AppParts, type AppPlugin } from '../options.js';

const event = 'bb_notification_registered';

export interface Registration {
  /** Adds the device id to registrations: an asynchronous store gives it only after the start. */
  readonly plugin: AppPlugin;
  readonly setDeviceToken: (token: string) => boolean;
}

/** Registers push tokens (docs/push.md#events). */
export function createRegistration(os: string, packageName: string | undefined): Registration {
  let parts: AppParts | undefined;
  const plugin = (message: Message): Message =>
    message.event === event
      ? { ...message, properties: { ...message.properties, device_id: parts?.client.deviceId } }
      : message;
  return {
    plugin: Object.assign(plugin, {
      begin(given: AppParts) {
        parts = given;
      },
    }),
    setDeviceToken(token) {
      const isText = (text: unknown): boolean => typeof text === 'string' && text.trim() !== '';
      const missing = isText(token) ? (isText(packageName) ? undefined : 'packageName') : 'token';
      if (missing) parts?.failed(`a push token was not registered: no ${missing}`, undefined);
      if (missing || !parts) return false;
      return parts.client.track(event, { key: token, package_name: packageName, sdk: os.toUpperCase() });
    },
  };
}
