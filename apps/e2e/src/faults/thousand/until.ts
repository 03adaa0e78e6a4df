import { eventually } from '@sluice/testing';
import { type Stage } from './stage.js';

export const stuckMetric = 'sluice_consumer_stuck_seconds';

/** @throws after 90 s */
export const until = (what: string, isSo: () => Promise<boolean>): Promise<void> =>
  eventually(async () => {
    if (!(await isSo())) throw new Error(`waited in vain until ${what}`);
  });

/**
 * Waits until a partition of a tracking service repeats a step: 'block', 'commit' or 'dead letters'. A service that the
 * fault ends, or keeps from starting, has felt it too.
 */
export async function untilStuck({ tracking }: Stage, step = '[^"]+'): Promise<void> {
  const labels = `topic="[^"]+",partition="\\d+",what="${step}"`;
  const before = tracking.failures;
  await until(
    `a partition repeats ${step}`,
    async () => tracking.failures > before || (await tracking.metric(stuckMetric, labels)) > 0,
  );
}
