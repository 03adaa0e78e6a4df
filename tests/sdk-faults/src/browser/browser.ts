import { readRows } from '../ledger/stored-rows.js';
import { faultRun } from '../run/fault-run.js';
import { type Around, type Clients, type Platform } from '../run/platform.js';
import { injectServiceFaults } from '../run/service-faults.js';
import { BrowserDevice } from './device.js';
import { pageEventName, pageText } from './page-script.js';
import { openFaultSite } from './site.js';

/** Checks after which a page that still waits is reloaded. */
const looksPerLoad = 30;

/** Pages in real browsers, with real stores, locks and unloads. The run of the core tests the sizes of batches. */
export const browser: Platform = {
  command: {
    name: 'browser',
    limit: 'faults',
    defaults: { limit: 1_000, duration: '20m', devices: 2 },
    devices: 'browsers that live at the same time, with up to eight tabs each',
    mutants: [],
  },
  notDrawn: ['batch refused for its size'],
  words: {
    clients: 'pages',
    waiting: 'browsers',
    lost: {
      young: 'made under a second before the browser was killed',
      behind: 'made after the last write of the control before the browser was killed',
      full: 'made while the device had no room',
    },
  },
  start,
  injectServiceFaults,
  readRows: ({ stack, run }) => readRows(stack, run, pageEventName),
};

export const browserRun = faultRun(browser);

async function start(around: Around): Promise<Clients> {
  const { stack, proxy, run, options } = around;
  const client = { credentials: stack.source, host: { apiPath: proxy.url }, flushInterval: 200 };
  const site = await openFaultSite(pageText(run, client));
  const devices: BrowserDevice[] = [];
  for (let index = 0; index < options.devices; index++) {
    devices.push(await BrowserDevice.start({ ...around, siteUrl: site.url }, index));
  }
  return {
    ...new Draining(devices).clients(),
    live: (isOver) => Promise.all(devices.map((device) => device.live(isOver))),
    stop: async () => {
      for (const device of devices) await device.stop();
      site.close();
    },
  };
}

/** Pages that only send. One that takes long is reloaded, so that it takes over what an earlier page left. */
class Draining {
  private looks = 0;
  private remaining: { readonly device: BrowserDevice; readonly remainder: string }[];

  constructor(devices: readonly BrowserDevice[]) {
    this.remaining = devices.map((device) => ({ device, remainder: '' }));
  }

  clients(): Pick<Clients, 'calmDown' | 'waiting' | 'waitingInWords'> {
    return {
      calmDown: () => this.calmDown(),
      waiting: () => this.waiting(),
      waitingInWords: () => this.remaining.map(({ remainder }) => `still waiting: ${remainder}`),
    };
  }

  private async calmDown(): Promise<void> {
    for (const { device } of this.remaining) await device.calmDown();
    for (const { device } of this.remaining) await device.rest();
  }

  private async waiting(): Promise<number> {
    if (++this.looks % looksPerLoad === 0) await Promise.all(this.remaining.map(({ device }) => device.reload()));
    const now = await Promise.all(
      this.remaining.map(async ({ device }) => ({ device, remainder: (await device.drain().catch(String)) ?? '' })),
    );
    this.remaining = now.filter(({ remainder }) => remainder !== '');
    return this.remaining.length;
  }
}
