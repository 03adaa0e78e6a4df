import { readRows } from '../ledger/stored-rows.js';
import { faultRun } from '../run/fault-run.js';
import { type Around, type Clients, type Platform } from '../run/platform.js';
import { injectServiceFaults } from '../run/service-faults.js';
import { AppDevice } from './app-device.js';
import { appEventName, appMutants } from './life.js';

/** Factor by which the apps' time passes faster: a request is given up after 1.5 seconds. */
const speed = 20;

/** Apps as processes. A phone runs one process of an app at a time. */
export const reactNative: Platform = {
  command: {
    name: 'react-native',
    limit: 'faults',
    defaults: { limit: 2_000, duration: '1h', devices: 4 },
    devices: 'phones that live at the same time; every other one has an asynchronous store',
    mutants: appMutants,
  },
  notDrawn: [
    'browser killed',
    'reload storm',
    'many clients of a store at once',
    'clock set by up to a day',
    'batch refused for its size',
  ],
  words: {
    clients: 'apps',
    waiting: 'phones',
    lost: {
      young: 'made under a second before the phone ended',
      full: 'kept in memory because the store had failed',
    },
  },
  start,
  injectServiceFaults,
  readRows: ({ stack, run }) => readRows(stack, run, appEventName),
};

export const reactNativeRun = faultRun(reactNative);

async function start(around: Around): Promise<Clients> {
  const { proxy, stack, run, beganAt, options } = around;
  const life = {
    host: proxy.url,
    credentials: stack.source,
    run,
    speed,
    since: beganAt,
    mutant: options.mutant,
  };
  const devices = await Promise.all(
    Array.from({ length: options.devices }, (_, index) => AppDevice.start({ ...around, life }, index)),
  );
  const waiting = (): AppDevice[] => devices.filter((device) => !device.isEmpty());
  return {
    live: (isOver) => Promise.all(devices.map((device) => device.live(isOver))),
    calmDown: async () => {
      for (const device of devices) await device.calmDown();
    },
    waiting: () => waiting().length,
    waitingInWords: () => waiting().map((device) => device.leftInWords()),
    stop: async () => {
      for (const device of devices) await device.stop();
    },
  };
}
