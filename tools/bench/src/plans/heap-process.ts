import { PlanRegistry, activationRecord, planRecord, parsePlan } from '@sluice/plans';
import { benchPlan, plannedMessage } from './planned-message.js';

/** Activates plans in turn, judges with each, and sends the heap before and after to its parent. */

const activations = Number(process.argv[2]);
const source = 'BenchSource1';
/** Events of each plan that are judged, and so compiled. */
const judged = 1;
const warmUp = 100;

const heapMiB = (): number => {
  for (let n = 0; n < 4; n++) (globalThis as { gc?: () => void }).gc?.();
  return process.memoryUsage().heapUsed / 1024 ** 2;
};

const registry = new PlanRegistry();
const first = planRecord(source, parsePlan(benchPlan(source, 1)));
const text = String(first.value);
const activate = (version: number): void => {
  registry.apply(`${source}:${version}`, Buffer.from(text.replace('"version":1,', `"version":${version},`)));
  const activation = activationRecord(source, {
    versions: [version],
    mode: 'refuse',
    activatedAt: new Date().toISOString(),
  });
  registry.apply(activation.key, activation.value);
  for (let n = 0; n < judged; n++) {
    const { event, properties } = plannedMessage(n);
    const verdict = registry.live(source)?.judgeEvent(event, properties);
    if (verdict?.planVersion !== version || verdict.violations.length > 0) throw new Error('the plan does not judge');
  }
  // An operator removes unused plans; without that, their records would fill the heap.
  if (version > 1) registry.apply(`${source}:${version - 1}`, null);
};

for (let version = 1; version <= warmUp; version++) activate(version);
const before = heapMiB();
for (let version = warmUp + 1; version <= warmUp + activations; version++) activate(version);
process.send?.({ before, after: heapMiB() });
process.exit();
