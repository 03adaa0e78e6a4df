import { eventually } from '@sluice/testing';
import { type Stage } from './stage.js';

export const stuckMetric = 'sluice_consumer_stuck_seconds';

/** @throws after 90 s */
export const until = (condition: string, isSo: () => Promise<boolean>): Promise<void> =>
  eventually(async () => {
    if (!(await isSo())) throw new Error(`waited in vain until ${condition}`);
  });

const stepLabels = (step: string): string => `topic="[^"]+",partition="\\d+",what="${step}"`;

/** Waits until a partition of a tracking service repeats any step. */
export const untilStuck = ({ tracking }: Stage): Promise<void> =>
  until('a partition is stuck', async () => (await tracking.metric(stuckMetric, stepLabels('[^"]+'))) > 0);

/**
 * Waits until a tracking service has felt a fault: a partition repeats the step 'commit' or 'dead letters', or the fault
 * has ended the service, or keeps it from starting.
 */
export async function untilFelt({ tracking }: Stage, step: string): Promise<void> {
  const before = tracking.failures;
  await until(
    `a partition repeats ${step}`,
    async () => tracking.failures > before || (await tracking.metric(stuckMetric, stepLabels(step))) > 0,
  );
}
