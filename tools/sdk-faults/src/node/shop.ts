import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from '@sluice/node';
import { hurry } from '../run/fast-time.js';
import { eventName, type Line, type Work } from './work.js';

const work = JSON.parse(process.argv[2] ?? '{}') as Work;
const write = fs.writeSync.bind(fs);
const book = fs.openSync(work.book, 'a');
const note = (line: Line): void => void write(book, `${JSON.stringify(line)}\n`);
const { fullFlag } = work;
/** Part of the message that is tracked now, and whether a whole write had it. A seal may find room where it did not. */
const present = { part: '', isWritten: false };
fs.writeSync = ((fd: number, bytes: Buffer) => {
  if (fullFlag !== undefined && fs.existsSync(fullFlag)) {
    throw Object.assign(new Error('no space left'), { code: 'ENOSPC' });
  }
  const written = write(fd, bytes);
  if (written === bytes.length && bytes.includes(present.part)) present.isWritten = true;
  return written;
}) as typeof fs.writeSync;
syncBuiltinESMExports();

const now = hurry(work.speed, work.beganAt);
const client = createClient({
  ...work.options,
  errorHandler: ({ code, count = 0 }) => {
    note(['told', code, count]);
  },
});

let number = 0;
const text = 'x'.repeat(200);
for (;;) {
  for (let burst = Math.random() * 6; burst > 0 && !work.isCalm; burst--) {
    const properties = { run: work.run, tab: work.tab, n: number, text };
    Object.assign(present, { part: `"n":${number},`, isWritten: false });
    if (!client.track(eventName, properties, { userId: `user-${number % 7}` })) continue;
    note(['took', number++, now(), present.isWritten]);
  }
  await sleep(Math.random() * 80);
}
