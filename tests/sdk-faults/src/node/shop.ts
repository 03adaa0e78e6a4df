import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from '@sluice/node';
import { mutated } from '@sluice/sdk-contract';
import { hurry } from '../run/fast-time.js';
import { maxWaiting, waitingBatches } from './backlog.js';
import { nodeEventName, type BookLine, type MessageFate, type ShopWork } from './work.js';

const lookEveryMs = 250;
const work = JSON.parse(process.argv[2] ?? '{}') as ShopWork;
const write = fs.writeSync.bind(fs);
const book = fs.openSync(work.book, 'a');
const note = (line: BookLine): void => void write(book, `${JSON.stringify(line)}\n`);
const { fullFlag } = work;
/** Part of the current message that marks it, and whether a whole write contained it. */
const present = { part: '', isWritten: false };
fs.writeSync = ((fd: number, bytes: Buffer) => {
  if (fullFlag !== undefined && fs.existsSync(fullFlag)) {
    throw Object.assign(new Error('no space left'), { code: 'ENOSPC' });
  }
  const writtenBytes = write(fd, bytes);
  if (writtenBytes === bytes.length && bytes.includes(present.part)) present.isWritten = true;
  return writtenBytes;
}) as typeof fs.writeSync;
syncBuiltinESMExports();

const now = hurry(work.speed, work.beganAt);
/** True from a report of `storage` to the next message that is written: the SDK reports a failing store once. */
let isReported = false;
const client = createClient({
  ...work.options,
  errorHandler: ({ code, count = 0 }) => {
    if (code === 'storage') isReported = true;
    note(['reported', code, count]);
  },
});

const track = mutated(work.isCalm ? undefined : work.mutant, {
  track: client.track.bind(client),
  files: () => waitingBatches(work.options.storage.directory),
});

function findFate(isWritten: boolean): MessageFate {
  if (isWritten) isReported = false;
  if (isWritten) return 'written';
  return isReported ? 'reported' : 'silent';
}

/** Looks at the directory now and then, because a look costs as much as many messages. */
let lookedAt = 0;
let isTracking = false;
function mayTrack(): boolean {
  if (work.isCalm) return false;
  if (now() - lookedAt > lookEveryMs) {
    lookedAt = now();
    isTracking = waitingBatches(work.options.storage.directory).length < maxWaiting;
  }
  return isTracking;
}

let number = 0;
const text = 'x'.repeat(200);
for (;;) {
  const count = mayTrack() ? Math.random() * 6 : 0;
  for (let burst = count; burst > 0; burst--) {
    const properties = { run: work.run, tab: work.tab, n: number, text };
    Object.assign(present, { part: `"n":${number},`, isWritten: false });
    if (!track(nodeEventName, properties, { userId: `user-${number % 7}` })) continue;
    note(['took', number++, now(), findFate(present.isWritten)]);
  }
  await sleep(Math.random() * 80);
}
