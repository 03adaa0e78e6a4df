import { type Message, registrationEvent } from '@sluice/sdk-core';
import { type AppParts, type AppPlugin } from '../options.js';

export interface Registration {
  /** Adds the device id to registrations: an asynchronous store gives it only after the start. */
  readonly plugin: AppPlugin;
  readonly setDeviceToken: (token: string) => boolean;
}

/** Registers push tokens (docs/push.md#events). */
export function createRegistration(os: string, packageName: string | undefined): Registration {
  let parts: AppParts | undefined;
  const plugin = (message: Message): Message =>
    message.event === registrationEvent
      ? { ...message, properties: { ...message.properties, device_id: parts?.client.deviceId } }
      : message;
  return {
    plugin: Object.assign(plugin, {
      begin(appParts: AppParts) {
        parts = appParts;
      },
    }),
    setDeviceToken(token) {
      const isText = (text: unknown): boolean => typeof text === 'string' && text.trim() !== '';
      if (!isText(token)) parts?.failed('a push token was not registered: no token', undefined);
      if (!isText(token) || !parts) return false;
      const name = isText(packageName) ? packageName : undefined;
      return parts.client.track(registrationEvent, { key: token, package_name: name, sdk: os.toUpperCase() });
    },
  };
}
