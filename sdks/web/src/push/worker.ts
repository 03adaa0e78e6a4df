import {
  attempt,
  callBack,
  type Interacted,
  type PushNotification,
  readPush,
  registrationEvent,
  buildReport,
  notificationTarget,
} from '@sluice/sdk-core';
import { fetchTransport } from '../page/fetch-transport.js';
import { openTables, type Run, transact } from '../queue/tables.js';
import { type NotificationEvent, type WorkerEvents, type WorkerScope } from './worker-scope.js';
import { remembered, type WorkerMemory } from './worker-memory.js';
import { addEvent, sendBatches } from './worker-outbox.js';

/** Buttons of a notification; a browser that shows fewer leaves out the rest. */
const maxActions = 2;

/** Shows the notifications of the service and reports what becomes of them (docs/push.md). */
export function startWorker(scope: WorkerScope): void {
  /** Notifications that were tapped: Firefox reports those as closed, too. */
  const tapped = new Set<string>();
  /** Listens to events. The worker is kept alive until the listener's work is done. */
  const on = <Name extends keyof WorkerEvents>(
    name: Name,
    listener: (event: WorkerEvents[Name]) => Promise<unknown> | null | undefined,
  ): void =>
    scope.addEventListener(name, (event) => {
      const work = listener(event);
      if (work) event.waitUntil(work);
    });
  on('push', ({ data }) => {
    const notification = parsePush(data?.text() ?? '');
    return notification && withMemory((memory) => show(scope, memory, notification));
  });
  on('notificationclick', (event) => {
    const notification = ownNotification(event);
    if (!notification) return undefined;
    tapped.add(notification.id);
    event.notification.close();
    return follow(scope, notification, Number(event.action) || 0);
  });
  on('notificationclose', (event) => {
    const notification = ownNotification(event);
    if (!notification || tapped.delete(notification.id)) return undefined;
    return withMemory((memory) => report(memory, notification, { interaction: 'closed' }));
  });
  on(
    'pushsubscriptionchange',
    ({ oldSubscription }) => oldSubscription && withMemory((memory) => subscribeAgain(scope, memory, oldSubscription)),
  );
}

async function show(
  { registration }: WorkerScope,
  memory: WorkerMemory,
  notification: PushNotification,
): Promise<void> {
  const { id: tag, title, actions, ...fields } = notification;
  const options = {
    ...fields,
    tag,
    data: { sluice: notification },
    actions: actions.map((action, index) => ({ action: `${index + 1}`, title: action.title })),
  };
  const interacted = await registration.showNotification(title, options).then(
    (): Interacted => ({ interaction: 'delivered' }),
    (reason: unknown): Interacted => ({ interaction: 'failed', reason: String(reason) }),
  );
  await report(memory, notification, interacted);
}

/** Opens the target of a click, then reports the click: the permission to open a window does not last. */
async function follow(scope: WorkerScope, notification: PushNotification, button: number): Promise<void> {
  const url = notificationTarget(notification, button);
  if (url) await open(scope, url).catch(() => undefined);
  await withMemory((memory) => report(memory, notification, { interaction: 'clicked', button }));
}

async function open({ clients, location }: WorkerScope, url: string): Promise<void> {
  const { href } = new URL(url, location.href);
  const windows = await clients.matchAll({ type: 'window', includeUncontrolled: true });
  const openPage = windows.find((window) => window.url === href);
  await (openPage?.focus() ?? clients.openWindow(href));
}

async function subscribeAgain(
  { registration }: WorkerScope,
  memory: WorkerMemory,
  { options }: PushSubscription,
): Promise<void> {
  const key = JSON.stringify(await registration.pushManager.subscribe(options));
  await addEvent(run, memory, registrationEvent, { key, sdk: 'WEB', device_id: memory.deviceId }, 'device');
  await sendBatches(run, memory);
}

/** Does nothing before a page has consent or after it is denied. */
const withMemory = (work: (memory: WorkerMemory) => Promise<void>): Promise<void> =>
  remembered(run).then((memory) => memory && work(memory));

/** Stores the event, then sends it and makes the callback. */
async function report(memory: WorkerMemory, notification: PushNotification, interacted: Interacted): Promise<void> {
  const { event, properties, path } = buildReport(notification, interacted, true);
  await addEvent(run, memory, event, properties).catch(() => undefined);
  const isWanted = async (): Promise<boolean> => (await remembered(run)) !== undefined;
  await Promise.allSettled([
    sendBatches(run, memory),
    callBack(fetchTransport, memory.host + path, { sleep, isWanted }),
  ]);
}

/** Opens the database for one transaction and closes it: a worker may end at any moment. */
const run: Run = async (work) => {
  const database = await openTables(indexedDB);
  return transact(database, work)[1].finally(() => database.close());
};

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** The notification that a message asks for; some push services wrap the data. */
function parsePush(text: string): PushNotification | null {
  const message = attempt(() => JSON.parse(text) as { data?: unknown } | null);
  return readPush(message, maxActions) ?? readPush(message?.data, maxActions);
}

/** Undefined for a notification of another service. */
const ownNotification = ({ notification }: NotificationEvent): PushNotification | undefined =>
  (notification.data as { sluice?: PushNotification } | null)?.sluice;
