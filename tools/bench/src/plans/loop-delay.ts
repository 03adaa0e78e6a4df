/**
 * Loaded into a gateway by `--import`, with `?file=<path>`. At each SIGUSR2 it writes the delays of the event loop
 * since the last signal to the file, in milliseconds.
 */
import { renameSync, writeFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';

const file = new URL(import.meta.url).searchParams.get('file') ?? '';
const delays = monitorEventLoopDelay({ resolution: 1 });
delays.enable();

process.on('SIGUSR2', () => {
  const [p50, p99, max] = [delays.percentile(50), delays.percentile(99), delays.max].map((ns) => ns / 1e6);
  delays.reset();
  writeFileSync(`${file}.new`, JSON.stringify({ p50, p99, max }));
  renameSync(`${file}.new`, file);
});
