import { randomUUID } from 'node:crypto';
import { writeSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { createClientOn, type NativeParts, type ReactNativeClient } from '@sluice/react-native/without-native';
import { seeded } from '@sluice/sdk-contract';
import { asyncStorage, syncStorage } from './app-storage.js';
import { hurry } from '../run/fast-time.js';
import { type AppCommand, appEventName, type AppLife, type AppLine } from './life.js';

// An app of a phone as a process: it tracks events until it is killed, and says which of them are promised.

/** Batches that may wait before the app pauses, so that its backlog does not grow for ever. */
const maxWaiting = 150;

const life = JSON.parse(process.argv[2] ?? '{}') as AppLife;
hurry(life.speed, life.since);
const random = seeded(life.seed);
const storeFaults = { isFull: false, random, isForgetful: life.mutant === 'forgetful' };

const say = (line: AppLine): void => void writeSync(1, `${line}\n`);

let changeState: (state: string) => void = () => undefined;
let connect: (state: { isConnected: boolean }) => void = () => undefined;
const subscription = { remove: () => undefined };
const native: NativeParts = {
  Platform: { OS: 'android', Version: 35 },
  AppState: {
    currentState: 'active',
    addEventListener: (_, listener) => {
      changeState = listener;
      return subscription;
    },
  },
  Dimensions: { get: () => ({ width: 392, height: 850, scale: 2.75 }) },
  Linking: {
    getInitialURL: () => Promise.resolve(null),
    addEventListener: () => subscription,
    openURL: () => Promise.resolve(),
  },
};

if (life.mutant === 'new-key') {
  const send = globalThis.fetch;
  globalThis.fetch = (url, init) =>
    send(url, { ...init, headers: { ...(init?.headers as object), 'Idempotency-Key': randomUUID() } });
}

/** True once the store has failed. The SDK reports that once, so only `saved()` knows from then on. */
let hasFailed = false;
let isCalm = false;
let madeCount = 0;

const storage = life.isAsync ? asyncStorage(life.folder, storeFaults) : syncStorage(life.folder, storeFaults);

function start(): ReactNativeClient {
  const { host, credentials } = life;
  return createClientOn(native, {
    android: credentials,
    apiHost: host,
    flushInterval: 2_000,
    storage,
    network: {
      addEventListener: (listener) => {
        connect = listener;
        return () => undefined;
      },
    },
    errorHandler: ({ code, count = 0 }) => {
      if (code === 'storage') hasFailed = true;
      if (count > 0) say(`E ${code} ${count}`);
    },
  });
}

const client = start();

function track(): number | undefined {
  const properties = { run: life.run, tab: life.tab, n: madeCount, text: 'x'.repeat(100 + random() * 400) };
  return client.track(appEventName, properties) ? madeCount++ : undefined;
}

/** Names of the batches that wait. */
const batches = async (): Promise<string[]> =>
  (await storage.getAllKeys()).filter((name) => name.startsWith('sluice.b.'));

async function live(): Promise<void> {
  while (!isCalm) {
    if ((await batches()).length < maxWaiting) await burst();
    await sleep(random() * 60);
  }
}

/** Tracks some events. Those in doubt are promised if the client says that they are safe. */
async function burst(): Promise<void> {
  const doubtful: number[] = [];
  for (let count = random() * 6; count > 0; count--) {
    const number = track();
    if (number === undefined) continue;
    // A synchronous store has it now.
    if (life.isAsync || hasFailed) doubtful.push(number);
    else say(`T ${number}`);
  }
  if (doubtful.length === 0) return;
  const isSaved = await client.saved();
  say(isSaved ? `T ${doubtful.join(' ')}` : `R ${doubtful.join(' ')}`);
}

/** Sends what waits, and says how much is left. */
async function drain(): Promise<void> {
  for (;;) {
    const { left: remaining } = await client.flush();
    await client.saved();
    // A batch of an earlier run may not have been read yet.
    say(`L ${Math.max(remaining, (await batches()).length)}`);
    await sleep(200);
  }
}

const commands: Readonly<Record<AppCommand, () => void>> = {
  background: () => changeState('background'),
  active: () => changeState('active'),
  online: () => {
    connect({ isConnected: false });
    connect({ isConnected: true });
  },
  full: () => {
    storeFaults.isFull = true;
  },
  works: () => {
    storeFaults.isFull = false;
  },
  calm: () => {
    isCalm = true;
    storeFaults.isFull = false;
    void drain();
  },
};
createInterface(process.stdin).on('line', (line) => commands[line as AppCommand]());
say('ready');
void live();
