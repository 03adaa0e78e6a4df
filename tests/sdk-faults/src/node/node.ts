import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mutants } from '@sluice/sdk-contract';
import { findDoubles } from '../ledger/doubles.js';
import { readRows } from '../ledger/stored-rows.js';
import { faultRun } from '../run/fault-run.js';
import { type Around, type Clients, type Platform } from '../run/platform.js';
import { injectServiceFaults } from '../run/service-faults.js';
import { batchesInWords } from './backlog.js';
import { NodeDevice } from './device.js';
import { nodeEventName } from './work.js';

/** Factor by which the clients' time passes faster: half a minute of silence is one second. */
const speed = 30;
/** Slower at the end: a busy machine may take more than a second for an answer, which would be a fault. */
const calmSpeed = 3;
/** Milliseconds of the clients' time in which a batch is collected: 50 real ones. */
const flushInterval = 1_500;

/** Processes that share directories. A server has no browser; its processes have one clock. */
export const node: Platform = {
  command: {
    name: 'node',
    limit: 'faults',
    defaults: { limit: 10_000, duration: '1h', devices: 5 },
    devices: 'directories, each of which up to four processes share',
    mutants,
  },
  notDrawn: ['browser killed', 'reload storm', 'clock set by up to a day', 'batch refused for its size'],
  words: {
    clients: 'processes',
    waiting: 'batches',
    lost: { young: 'made under a second before the machine ended', full: 'made while the disk was full' },
  },
  maxUnnoted: 1,
  start,
  injectServiceFaults,
  readRows: ({ stack, run }) => readRows(stack, run, nodeEventName),
  doublesInWords: ({ stack, run }) => findDoubles(stack, run, nodeEventName),
};

export const nodeRun = faultRun(node);

async function start(around: Around): Promise<Clients> {
  const { stack, proxy, options } = around;
  const folder = await mkdtemp(join(tmpdir(), 'sluice-node-faults-'));
  const client = { credentials: stack.source, apiHost: proxy.url, flushInterval };
  const surroundings = { ...around, options: client, speed, calmSpeed, folder, mutant: options.mutant };
  const devices = Array.from({ length: options.devices }, (_, index) => new NodeDevice(surroundings, index));
  if (!devices.every(({ isDiskReal }) => isDiskReal)) console.error('no right to mount: full disks are simulated');
  const batches = (): string[] => devices.flatMap((device) => device.waiting());
  return {
    live: (isOver) => Promise.all(devices.map((device) => device.live(isOver))),
    calmDown: () => Promise.all(devices.map((device) => device.calmDown())),
    waiting: () => batches().length,
    waitingInWords: () => batchesInWords(batches()),
    account: () => {
      const sums = devices.map((device) => device.account(around.books));
      return {
        reported: sums.reduce((sum, { reported }) => sum + reported, 0),
        silent: sums.reduce((sum, { silent }) => sum + silent, 0),
      };
    },
    stop: async () => {
      for (const device of devices) await device.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
