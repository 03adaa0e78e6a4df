// Loaded with a consumer (node --import): with SLUICE_CRASH_POINT=after-insert:3 the process kills itself when a block
// passes that point for the third time; with `after-insert:3:TOPIC`, when a block of that topic does.
import { subscribe } from 'node:diagnostics_channel';

const [point, times = '1', topic] = (process.env['SLUICE_CRASH_POINT'] ?? '').split(':');
let remaining = Number(times);

subscribe('sluice.block-points', (message) => {
  const passed = /** @type {{ point: string, topic: string }} */ (message);
  if (passed.point !== point || (topic !== undefined && topic !== passed.topic)) return;
  if (--remaining === 0) process.kill(process.pid, 'SIGKILL');
});
