import { type Interacted, type PushNotification, readPush, reportInteraction, reportOf } from '@sluice/sdk-core';
import { fetchTransport } from '../page/fetch-transport.js';
import { pageClock } from '../page/page-clock.js';
import { Database } from '../queue/database.js';
import { type NotificationEvent, type PushEvent, type SubscriptionChange, type WorkerScope } from './worker-scope.js';
import { remembered } from './worker-memory.js';
import { WorkerOutbox } from './worker-outbox.js';

const mostActions = 2;

/** Shows the notifications of the service and reports what becomes of them (docs/push.md). */
export class PushWorker {
  private readonly database = new Database(() => indexedDB);
  private readonly transport = fetchTransport(() => fetch);
  /** Notifications that were tapped: Firefox says of those that they were closed, too. */
  private readonly tapped = new Set<string>();

  constructor(private readonly scope: WorkerScope) {
    scope.addEventListener('push', (event) => {
      this.pushed(event);
    });
    scope.addEventListener('notificationclick', (event) => {
      this.clicked(event);
    });
    scope.addEventListener('notificationclose', (event) => {
      const known = notificationOf(event);
      if (known && !this.tapped.delete(known.id)) event.waitUntil(this.report(known, { interaction: 'closed' }));
    });
    scope.addEventListener('pushsubscriptionchange', (event) => {
      event.waitUntil(this.subscribeAgain(event));
    });
  }

  private pushed(event: PushEvent): void {
    const most = (Notification as { maxActions?: number }).maxActions ?? mostActions;
    const known = pushOf(event.data?.text() ?? '', Math.min(mostActions, most));
    if (known) event.waitUntil(this.show(known));
  }

  private async show(known: PushNotification): Promise<void> {
    const { id, title, body, icon, badge, image, requireInteraction, actions } = known;
    if (!(await remembered(this.database))) return;
    const options = {
      ...{ body, icon, badge, image, requireInteraction, tag: id, data: { sluice: known } },
      actions: actions.map((action, at) => ({ action: String(at + 1), title: action.title })),
    };
    // A member that is undefined is a wrong one to some browsers.
    const given = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
    const interacted = await this.scope.registration.showNotification(title, given).then(
      (): Interacted => ({ interaction: 'delivered' }),
      (reason: unknown): Interacted => ({ interaction: 'failed', reason: String(reason) }),
    );
    await this.report(known, interacted);
  }

  private clicked(event: NotificationEvent): void {
    const known = notificationOf(event);
    if (!known) return;
    const button = Number(event.action) || 0;
    const url = button > 0 ? known.actions[button - 1]?.action : known.action;
    this.tapped.add(known.id);
    event.notification.close();
    // The permission to open a window does not last: the report comes after it.
    const opened = url === undefined ? Promise.resolve() : this.open(url).catch(() => undefined);
    event.waitUntil(opened.then(() => this.report(known, { interaction: 'clicked', button })));
  }

  private async open(url: string): Promise<void> {
    const { clients, location } = this.scope;
    const { href } = new URL(url, location.href);
    const windows = await clients.matchAll({ type: 'window', includeUncontrolled: true });
    const there = windows.find((window) => window.url === href);
    await (there ? there.focus() : clients.openWindow(href));
  }

  /** The event is stored first; then it is sent, and the callback is made. */
  private async report(known: PushNotification, interacted: Interacted): Promise<void> {
    const memory = await remembered(this.database);
    if (!memory) return;
    const outbox = new WorkerOutbox(this.database, this.transport, memory);
    const report = { ...reportOf(known, interacted, true), host: memory.host };
    await outbox.add(report.event, report.properties).catch(() => undefined);
    const client = { track: () => true };
    const ports = { transport: this.transport, clock: pageClock, random: { fraction: Math.random, uuid: () => '' } };
    await Promise.all([reportInteraction(client, ports, report), outbox.send().catch(() => undefined)]);
  }

  private async subscribeAgain({ oldSubscription }: SubscriptionChange): Promise<void> {
    const memory = await remembered(this.database);
    if (!memory || !oldSubscription) return;
    const { applicationServerKey, userVisibleOnly } = oldSubscription.options;
    const subscription = await this.scope.registration.pushManager.subscribe({ applicationServerKey, userVisibleOnly });
    const outbox = new WorkerOutbox(this.database, this.transport, memory);
    const properties = { key: JSON.stringify(subscription), sdk: 'WEB', device_id: memory.deviceId };
    await outbox.add('bb_notification_registered', properties);
    await outbox.send();
  }
}

/** The notification that a message asks for; some push services wrap the data. */
function pushOf(text: string, most: number): PushNotification | null {
  try {
    const message = JSON.parse(text) as { data?: unknown } | null;
    return readPush(message, most) ?? readPush(message?.data, most);
  } catch {
    return null;
  }
}

/** Undefined for a notification of somebody else. */
const notificationOf = ({ notification }: NotificationEvent): PushNotification | undefined =>
  (notification.data as { sluice?: PushNotification } | null)?.sluice;
