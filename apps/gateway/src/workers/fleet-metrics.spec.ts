import { Counter, Registry } from '@sluice/service';
import { expect, it } from 'vitest';
import { FleetMetrics } from './fleet-metrics.js';
import { type WorkerFleet } from './fleet.js';
import { type Metrics } from './messages.js';
import { type Worker } from './worker.js';

async function metricsOf(count: number): Promise<Metrics> {
  const registry = new Registry();
  new Counter({ name: 'taken_total', help: 'Taken', registers: [registry] }).inc(count);
  return registry.getMetricsAsJSON();
}

const aWorker = (): Worker => ({}) as Worker;

it('a worker counts once, whenever it ends: before, while or after the workers are asked', async () => {
  const [first, second, third] = [aWorker(), aWorker(), aWorker()];
  const running = new Set([first, second, third]);
  const answers = new Map([
    [first, await metricsOf(1)],
    [second, await metricsOf(10)],
    [third, await metricsOf(100)],
  ]);
  let endsWhileAsked: Worker | undefined;
  const fleet = {
    has: (worker: Worker) => running.has(worker),
    askEach: () => {
      const answered = new Map([...answers].filter(([worker]) => running.has(worker)));
      if (endsWhileAsked) running.delete(endsWhileAsked);
      return Promise.resolve(answered);
    },
  } as unknown as WorkerFleet;
  const metrics = new FleetMetrics(fleet, new Registry());
  const read = async (): Promise<number> => Number(/^taken_total (\d+)$/m.exec(await metrics.metrics())?.[1]);

  expect(await read()).toBe(111);
  running.delete(first);
  expect(await read()).toBe(111);
  endsWhileAsked = second;
  // Two scrapes at the same time.
  expect(await Promise.all([read(), read()])).toEqual([111, 111]);
  expect(await read()).toBe(111);
  endsWhileAsked = undefined;
  running.delete(third);
  expect(await read()).toBe(111);
});
