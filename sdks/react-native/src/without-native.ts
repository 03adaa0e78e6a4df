export {
  type CallOptions,
  type Client,
  type Consent,
  type EventMap,
  type FlushResult,
  type Message,
  type Plugin,
  type Properties,
  type SluiceError,
  type SluiceErrorCode,
} from '@sluice/sdk-core';
export { deepLinks } from './app/deep-links.js';
export { type NetworkSource } from './app/app-lifecycle.js';
export { createClientOn, Notification } from './create-client.js';
export { type NativeParts } from './native/native-parts.js';
export {
  type AppParts,
  type AppPlugin,
  type Credentials,
  type ReactNativeClient,
  type ReactNativeOptions,
} from './options.js';
export {
  type NotificationAdapter,
  type NotificationInteraction,
  type ReadEvent,
  type ShownNotification,
} from './push/notification-adapter.js';
export {
  type ExpoNotifications,
  expoNotificationsAdapter,
  type ExpoNotificationsOptions,
} from './push/expo-notifications.js';
export { type Notifee, notifeeAdapter, type NotifeeOptions } from './push/notifee.js';
export { type Handled, type Notifications } from './push/notifications.js';
export { type ExpoFiles, expoFileStorage, type LegacyExpoFiles, legacyFileStorage } from './storage/expo-files.js';
export { type Files, filesStorage } from './storage/files.js';
export { type Mmkv, mmkvStorage } from './storage/mmkv.js';
export { type SqliteStore, sqliteStorage } from './storage/sqlite.js';
export { type Storage } from './storage/storage.js';
export { testStorage } from './storage/test-storage.js';
