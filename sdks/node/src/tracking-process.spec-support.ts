import { appendFileSync, closeSync, mkdirSync, openSync, readdirSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { mutated } from '@sluice/sdk-contract';
import { createClient } from './index.js';
import { type Work } from './tracking-work.spec-support.js';

const { options, name, tookFile, burst, mutant } = JSON.parse(process.argv[2] ?? '{}') as Work;
const took = openSync(tookFile, 'a');

/** Files of the batches that killed processes left. */
function waiting(): string[] {
  const { directory } = { directory: '', ...(typeof options.storage === 'object' && options.storage) };
  // The first process finds no directory, because its client makes one later.
  mkdirSync(directory, { recursive: true });
  const names = readdirSync(directory, { recursive: true, encoding: 'utf8' });
  return names.filter((file) => file.endsWith('.batch')).map((file) => join(directory, file));
}

const client = createClient({
  ...options,
  errorHandler: (error) => appendFileSync(`${tookFile}.errors`, `${JSON.stringify(error)}\n`),
});
const track = mutated(mutant, { track: client.track.bind(client), files: waiting });
process.on('SIGTERM', () => {
  void client.close().then(() => {
    closeSync(took);
    process.exit(0);
  });
});
for (let at = 0; ; at++) {
  if (client.needsDrain) await client.drained();
  if (track(name, { process: process.pid, at }, { userId: 'u' })) writeSync(took, `${process.pid} ${at}\n`);
  if (at % burst === burst - 1) await setImmediate();
}
