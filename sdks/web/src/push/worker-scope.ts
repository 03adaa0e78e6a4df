// The parts of a service worker's global scope that are used: TypeScript cannot have its types and those of pages.
interface Extendable extends Event {
  waitUntil(work: Promise<unknown>): void;
}

interface PushEvent extends Extendable {
  readonly data: { text(): string } | null;
}

export interface NotificationEvent extends Extendable {
  readonly notification: Notification;
  readonly action: string;
}

interface SubscriptionChange extends Extendable {
  readonly oldSubscription?: PushSubscription | null;
}

export interface WorkerEvents {
  push: PushEvent;
  notificationclick: NotificationEvent;
  notificationclose: NotificationEvent;
  pushsubscriptionchange: SubscriptionChange;
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
  addEventListener<Name extends keyof WorkerEvents>(type: Name, listener: (event: WorkerEvents[Name]) => void): void;
}
