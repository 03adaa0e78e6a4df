// The parts of a service worker's global scope that are used: TypeScript has its types only instead of those of pages.
interface Extendable extends Event {
  waitUntil(work: Promise<unknown>): void;
}

export interface PushEvent extends Extendable {
  readonly data: { text(): string } | null;
}

export interface NotificationEvent extends Extendable {
  readonly notification: Notification;
  readonly action: string;
}

export interface SubscriptionChange extends Extendable {
  readonly oldSubscription?: PushSubscription | null;
}

interface WindowClient {
  readonly url: string;
  focus(): Promise<unknown>;
}

export interface WorkerScope {
  readonly registration: ServiceWorkerRegistration;
  readonly location: Location;
  readonly clients: {
    matchAll(options: { type: 'window'; includeUncontrolled: boolean }): Promise<WindowClient[]>;
    openWindow(url: string): Promise<unknown>;
  };
  addEventListener(type: 'push', listener: (event: PushEvent) => void): void;
  addEventListener(type: 'notificationclick' | 'notificationclose', listener: (event: NotificationEvent) => void): void;
  addEventListener(type: 'pushsubscriptionchange', listener: (event: SubscriptionChange) => void): void;
}
