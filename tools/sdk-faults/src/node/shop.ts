import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { setTimeout as sleep } from 'node:timers/promises';
import { hurry } from './fast-time.js';
import { eventName, type Line, type Work } from './work.js';

const work = JSON.parse(process.argv[2] ?? '{}') as Work;
const write = fs.writeSync.bind(fs);
const book = fs.openSync(work.book, 'a');
const note = (line: Line): void => void write(book, `${JSON.stringify(line)}\n`);
const { fullFlag } = work;
/** Writes of the SDK that succeeded. */
let writes = 0;
fs.writeSync = ((fd: number, bytes: Buffer) => {
  if (fullFlag !== undefined && fs.existsSync(fullFlag)) {
    throw Object.assign(new Error('no space left'), { code: 'ENOSPC' });
  }
  const written = write(fd, bytes);
  if (written === bytes.length) writes++;
  return written;
}) as typeof fs.writeSync;
syncBuiltinESMExports();

const now = hurry(work.speed, work.beganAt);
const { createClient } = await import('@sluice/node');
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
    const before = writes;
    if (!client.track(eventName, properties, { userId: `user-${number % 7}` })) continue;
    note(['took', number++, now(), writes > before]);
  }
  await sleep(Math.random() * 80);
}
