import { afterAll, expect } from 'vitest';

const before = process.env['TOPIC_PREFIX'];
afterAll(() => {
  expect(process.env['TOPIC_PREFIX'], 'a spec that sets it is listed as ownInstallation in vitest.config.ts').toBe(
    before,
  );
});

/**
 * Clears the timers that a spec leaves, such as those of simulated pages that were killed. In a later spec with fake
 * timers they would begin new ones again and again, thousands in each second of its virtual time.
 */
function clearTimersAfterwards(): void {
  const { setTimeout: setRealTimeout, setInterval: setRealInterval } = globalThis;
  const timers = new Set<WeakRef<NodeJS.Timeout>>();
  const keep = <Args extends unknown[]>(set: (...args: Args) => NodeJS.Timeout) =>
    Object.assign((...args: Args): NodeJS.Timeout => {
      const timer = set(...args);
      timers.add(new WeakRef(timer));
      return timer;
    }, set);
  globalThis.setTimeout = keep(setRealTimeout);
  globalThis.setInterval = keep(setRealInterval);
  afterAll(() => {
    Object.assign(globalThis, { setTimeout: setRealTimeout, setInterval: setRealInterval });
    for (const timer of timers) clearTimeout(timer.deref());
  });
}
clearTimersAfterwards();
