import { appendFileSync, closeSync, openSync, writeSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { createClient } from './index.js';
import { type Work } from './tracking-work.spec-support.js';

const { options, name, tookFile, burst } = JSON.parse(process.argv[2] ?? '{}') as Work;
const took = openSync(tookFile, 'a');
const client = createClient({
  ...options,
  errorHandler: (error) => {
    appendFileSync(`${tookFile}.errors`, `${JSON.stringify(error)}\n`);
  },
});
process.on('SIGTERM', () => {
  void client.close().then(() => {
    closeSync(took);
    process.exit(0);
  });
});
for (let at = 0; ; at++) {
  if (client.needsDrain) await client.drained();
  if (client.track(name, { process: process.pid, at }, { userId: 'u' })) writeSync(took, `${process.pid} ${at}\n`);
  if (at % burst === burst - 1) await setImmediate();
}
