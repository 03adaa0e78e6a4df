import { setImmediate } from 'node:timers/promises';
import { type NodeLoad, type NodeLoadResult } from './node-load.js';
import { sdks } from './sdks.js';

const { sdk, target, events } = JSON.parse(process.argv[2] ?? '{}') as NodeLoad;
const client = await sdks[sdk]?.(target);
if (!client) throw new Error(`there is no SDK '${sdk}'`);
const text = 'x'.repeat(300);
const cpu = process.cpuUsage();
const beganAt = performance.now();
for (let at = 0; at < events; at++) {
  await client.track('order_completed', { at, total: 49.9, currency: 'EUR', items: ['a', 'b', 'c'], text });
  // Other work of a server.
  if (at % 100 === 99) await setImmediate();
}
await client.close();
const { user, system } = process.cpuUsage(cpu);
const result: NodeLoadResult = {
  seconds: (performance.now() - beganAt) / 1_000,
  cpuUs: (user + system) / events,
  peakMb: process.resourceUsage().maxRSS / 1_024,
};
console.log(JSON.stringify(result));
