import { type Message, registersPush } from '@sluice/sdk-core';
import { type PageParts, type WebPlugin } from '../options.js';
import { remember } from './worker-memory.js';

export interface PushOptions {
  /** Address of a service worker to register; left out when the page registers its own, which imports ours. */
  readonly worker?: string | undefined;
  readonly scope?: string | undefined;
}

/**
 * Turns `track('notification_registered', { key })` into a registration, and gives the service worker the ids under
 * which it reports.
 */
export function push({ worker, scope }: PushOptions = {}): WebPlugin {
  let parts: PageParts | undefined;
  let lastMemory: string | undefined;
  const registers = registersPush(() => parts?.client.deviceId);
  const giveIds = ({ anonymousId, userId }: Pick<Message, 'anonymousId' | 'userId'>): void => {
    if (!parts?.isGranted()) return;
    const { client, database, host, credentials } = parts;
    const memory = { ...credentials, host, deviceId: client.deviceId, anonymousId, userId };
    const text = JSON.stringify(memory);
    if (text === lastMemory) return;
    lastMemory = text;
    remember(database.run, memory).catch(() => (lastMemory = undefined));
  };
  const plugin = (message: Message): Message | null => {
    // The ids of the message are known here, though it is not queued yet.
    giveIds(message);
    return registers(message);
  };
  return Object.assign(plugin, {
    begin(pageParts: PageParts) {
      parts = pageParts;
      lastMemory = undefined;
      giveIds(pageParts.client);
      if (worker && pageParts.isGranted()) {
        const { serviceWorker } = navigator as { serviceWorker?: ServiceWorkerContainer };
        serviceWorker
          ?.register(worker, { scope } as RegistrationOptions)
          .catch((cause: unknown) => pageParts.failed('no service worker', cause));
      }
    },
  });
}
