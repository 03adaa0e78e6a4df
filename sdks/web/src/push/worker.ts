import { attempt, callBack, type Interacted, type PushNotification, readPush, reportOf } from '@sluice/sdk-core';
import { fetchTransport } from '../page/fetch-transport.js';
import { openTables, type Run, transact } from '../queue/tables.js';
import { type NotificationEvent, type WorkerEvents, type WorkerScope } from './worker-scope.js';
import { remembered, type WorkerMemory } from './worker-memory.js';
import { addEvent, sendBatches } from './worker-outbox.js';

const maxActions = 2;

/** Shows the notifications of the service and reports what becomes of them (docs/push.md). */
// eslint-disable-next-line max-lines-per-function -- a factory of short functions: private names cost a page nothing
export function startWorker(scope: WorkerScope): void {
  /** Notifications that were tapped: Firefox says of those that they were closed, too. */
  const tapped = new Set<string>();

  /** Listens to events. The worker is kept alive until the listener's work is done. */
  function on<Name extends keyof WorkerEvents>(
    name: Name,
    listener: (event: WorkerEvents[Name]) => Promise<unknown> | undefined,
  ): void {
    scope.addEventListener(name, (event) => {
      const work = listener(event);
      if (work) event.waitUntil(work);
    });
  }

  /** Does nothing before a page had consent, and after consent was denied. */
  async function withMemory(work: (memory: WorkerMemory) => Promise<void>): Promise<void> {
    const memory = await remembered(run);
    if (memory) await work(memory);
  }

  async function show(memory: WorkerMemory, known: PushNotification): Promise<void> {
    const { id: tag, title, actions, ...shown } = known;
    const options = {
      ...shown,
      tag,
      data: { sluice: known },
      actions: actions.map((action, at) => ({ action: String(at + 1), title: action.title })),
    };
    const interacted = await scope.registration.showNotification(title, options).then(
      (): Interacted => ({ interaction: 'delivered' }),
      (reason: unknown): Interacted => ({ interaction: 'failed', reason: String(reason) }),
    );
    await report(memory, known, interacted);
  }

  async function click(known: PushNotification, button: number): Promise<void> {
    const url = button > 0 ? known.actions[button - 1]?.action : known.action;
    // The permission to open a window does not last: the report comes after it.
    if (url) await open(url).catch(() => undefined);
    await withMemory((memory) => report(memory, known, { interaction: 'clicked', button }));
  }

  async function open(url: string): Promise<void> {
    const { clients, location } = scope;
    const { href } = new URL(url, location.href);
    const windows = await clients.matchAll({ type: 'window', includeUncontrolled: true });
    const there = windows.find((window) => window.url === href);
    await (there ? there.focus() : clients.openWindow(href));
  }

  /** The event is stored first; then it is sent, and the callback is made. */
  async function report(memory: WorkerMemory, known: PushNotification, interacted: Interacted): Promise<void> {
    const { event, properties, path } = reportOf(known, interacted, true);
    await addEvent(run, memory, event, properties).catch(() => undefined);
    const sent = sendBatches(run, memory).catch(() => undefined);
    await Promise.all([sent, callBack(fetchTransport, memory.host + path, sleep)]);
  }

  async function subscribeAgain(memory: WorkerMemory, { options }: PushSubscription): Promise<void> {
    const subscription = await scope.registration.pushManager.subscribe(options);
    const properties = { key: JSON.stringify(subscription), sdk: 'WEB', device_id: memory.deviceId };
    await addEvent(run, memory, 'bb_notification_registered', properties);
    await sendBatches(run, memory);
  }

  on('push', ({ data }) => {
    const most = (Notification as { maxActions?: number }).maxActions ?? maxActions;
    const known = pushOf(data?.text() ?? '', Math.min(maxActions, most));
    return known ? withMemory((memory) => show(memory, known)) : undefined;
  });
  on('notificationclick', (event) => {
    const known = notificationOf(event);
    if (!known) return undefined;
    tapped.add(known.id);
    event.notification.close();
    return click(known, Number(event.action) || 0);
  });
  on('notificationclose', (event) => {
    const known = notificationOf(event);
    if (!known || tapped.delete(known.id)) return undefined;
    return withMemory((memory) => report(memory, known, { interaction: 'closed' }));
  });
  on('pushsubscriptionchange', ({ oldSubscription }) =>
    oldSubscription ? withMemory((memory) => subscribeAgain(memory, oldSubscription)) : undefined,
  );
}

/** A worker lives for moments, and keeps no connection. */
const run: Run = async (work) => {
  const database = await openTables(indexedDB);
  return transact(database, work)[1].finally(() => database.close());
};

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** The notification that a message asks for; some push services wrap the data. */
function pushOf(text: string, most: number): PushNotification | null {
  const message = attempt(() => JSON.parse(text) as { data?: unknown } | null);
  return readPush(message, most) ?? readPush(message?.data, most);
}

/** Undefined for a notification of somebody else. */
const notificationOf = ({ notification }: NotificationEvent): PushNotification | undefined =>
  (notification.data as { sluice?: PushNotification } | null)?.sluice;
