import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually, launchPersistent } from '@sluice/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { aNotification, type SealedNotification } from '../notification.js';
import { clientOptions } from '../sdk/client-page.js';
import { manifest, openSite, type Site } from '../sdk/site.js';
import { local, select } from '../stack.js';
import { Desktop, type Shown } from './desktop/desktop.js';
import { Firefox } from './firefox.js';
import { installedPrograms } from './installed.js';

/** A page in a browser that may show notifications, and whose worker gets push messages. */
interface PushBrowser {
  goto(url: string): Promise<unknown>;
  evaluate(pageFunction: () => unknown): Promise<unknown>;
  deliver(origin: string, data: string): Promise<void>;
  close(): Promise<void>;
}

async function openChromium(desktop: Desktop, origin: string): Promise<PushBrowser> {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-chromium-'));
  const { context } = await launchPersistent(folder, {
    executablePath: installedPrograms.chromium ?? '',
    env: { ...(process.env as Record<string, string>), DBUS_SESSION_BUS_ADDRESS: desktop.address },
  });
  await context.grantPermissions(['notifications'], { origin });
  const page = await context.newPage();
  const devTools = await context.newCDPSession(page);
  let registrationId = '';
  devTools.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
    registrationId = registrations[0]?.registrationId ?? registrationId;
  });
  await devTools.send('ServiceWorker.enable');
  return {
    goto: (url) => page.goto(url),
    evaluate: (pageFunction) => page.evaluate(pageFunction),
    deliver: async (siteUrl, data) => {
      await devTools.send('ServiceWorker.deliverPushMessage', { origin: siteUrl, registrationId, data });
    },
    close: async () => {
      await context.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

const openFirefox = (desktop: Desktop): Promise<PushBrowser> =>
  Firefox.launch({ DBUS_SESSION_BUS_ADDRESS: desktop.address });

/** A shop's own worker, which imports ours and shows notifications of its own. */
const theirWorker = (pushOurs: string): string => `
  importScripts('${pushOurs}');
  self.addEventListener('push', (event) => {
    const { source, title } = event.data.json();
    if (source === 'shop') event.waitUntil(self.registration.showNotification(title, { data: { theirs: true } }));
  });
  self.addEventListener('notificationclick', ({ notification }) => {
    if (notification.data.theirs) notification.close();
  });`;

const hasDesktop = installedPrograms.bus !== undefined;
const browsers = [
  ['Chromium', hasDesktop && installedPrograms.chromium !== undefined, openChromium],
  [
    'Firefox',
    hasDesktop && installedPrograms.firefox !== undefined && installedPrograms.libnotify !== undefined,
    openFirefox,
  ],
] as const;
const workers = ["the SDK's own worker", 'a worker that imports ours'] as const;

for (const [name, isThere, open] of browsers) {
  describe.skipIf(!isThere).each(workers)(`push in ${name}, with %s`, (worker) => {
    let site: Site;
    let desktop: Desktop;
    let browser: PushBrowser;

    beforeAll(async () => {
      site = await openSite();
      const filePath = (name: string): string => `/sdk/${manifest.files[name]?.file ?? ''}`;
      const ownWorker = await (await fetch(site.url + filePath('sluice-worker.js'))).text();
      const theirs = theirWorker(`${local().gateway.url}/sdk/0/sluice-worker.js`);
      site.pages.set('/worker.js', { type: 'text/javascript', body: worker === workers[0] ? ownWorker : theirs });
      site.pages.set('/', {
        body: `<!doctype html>${['sluice.js', 'sluice-push.js'].map((name) => `<script src="${filePath(name)}"></script>`).join('')}
          <script>
            sluice.createClient(${JSON.stringify(clientOptions())});
            sluice.use(sluice.push({ worker: '/worker.js' }));
          </script>`,
      });
      desktop = await Desktop.start();
      browser = await open(desktop, site.url);
      await browser.goto(`${site.url}/`);
      await eventually(async () => {
        const states = await browser.evaluate(async () => {
          const registrations = await navigator.serviceWorker.getRegistrations();
          return registrations.map(({ active }) => active?.state);
        });
        expect(states).toEqual(['activated']);
      });
    });
    afterAll(async () => {
      await browser.close();
      await desktop.stop();
      site.close();
    });

    const push = async (data: object, title: string): Promise<Shown> => {
      await browser.deliver(site.url, JSON.stringify({ ...data, title }));
      return eventually(() => {
        const popup = desktop.shown.find((notification) => notification.title === title);
        if (!popup) throw new Error(`the desktop shows ${JSON.stringify(desktop.shown)}`);
        return popup;
      });
    };
    const pushOurs = async (title: string): Promise<{ notification: SealedNotification; popup: Shown }> => {
      const notification = await aNotification();
      const actions = [
        { title: 'Lamps', action: `${site.url}/lamps` },
        { title: 'Chairs', action: `${site.url}/chairs` },
      ];
      const { token: id } = notification;
      const popup = await push(
        { source: 'sluice-push', id, body: 'Today only', action: `${site.url}/sale`, actions },
        title,
      );
      return { notification, popup };
    };
    const expectRows = (notification: SealedNotification, rows: object[]): Promise<void> =>
      eventually(async () => {
        const query = `SELECT interaction, url, button, reported_by FROM current_push_interactions
          WHERE notification_id = {id:String} ORDER BY interaction`;
        const storedRows = await select(query, { id: notification.notificationId });
        expect(storedRows).toMatchObject(rows.map((row) => ({ ...row, reported_by: ['callback', 'event'] })));
        expect(storedRows).toHaveLength(rows.length);
      });

    it('a message is shown, and a tap opens its target; each of them is one row', async () => {
      const { notification, popup } = await pushOurs('Sale');
      expect(popup).toMatchObject({ title: 'Sale' });
      expect(popup.body).toContain('Today only');
      await expectRows(notification, [{ interaction: 'delivered' }]);
      desktop.click(popup);
      await eventually(() => expect(site.requests).toContain('/sale'));
      // A tap also closes the notification; this closing is not reported.
      await expectRows(notification, [
        { interaction: 'clicked', url: `${site.url}/sale`, button: 0 },
        { interaction: 'delivered' },
      ]);
    });

    it('a button opens its own target, and is reported by its number', async () => {
      const { notification, popup } = await pushOurs('Two things');
      desktop.click(popup, 'Chairs');
      await eventually(() => expect(site.requests).toContain('/chairs'));
      await expectRows(notification, [
        { interaction: 'clicked', url: `${site.url}/chairs`, button: 2 },
        { interaction: 'delivered' },
      ]);
    });

    it('a notification that is dismissed is reported as closed', async () => {
      const { notification, popup } = await pushOurs('Never mind');
      desktop.dismiss(popup);
      await expectRows(notification, [{ interaction: 'closed' }, { interaction: 'delivered' }]);
    });

    if (worker === workers[0]) return;
    it('a message of the shop itself is left to its worker', async () => {
      // FINAL, because rows of one interaction that merge in the meantime would change the count.
      const [{ count: before }] = (await select('SELECT count() AS count FROM push_interactions FINAL')) as [
        { count: string },
      ];
      desktop.click(await push({ source: 'shop' }, 'Hello from the shop'));
      const { notification } = await pushOurs('After the shop');
      await expectRows(notification, [{ interaction: 'delivered' }]);
      const [{ count }] = (await select(
        'SELECT count() AS count FROM push_interactions FINAL WHERE notification_id != {id:String}',
        { id: notification.notificationId },
      )) as [{ count: string }];
      expect(count).toBe(before);
    });
  });
}
