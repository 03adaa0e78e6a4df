import { Gauge, type Registry } from '@sluice/service';

/**
 * Reports whether a process must know the suppressions, as every process that stores or takes messages does: an erasure
 * waits for those that must, and for one that does not say, which is of an earlier version.
 * @param follows false in a process that stores nothing of people
 */
export function reportFollowsSuppressions(follows: boolean, registry: Registry): void {
  const gauge = new Gauge({
    name: 'sluice_privacy_follows_suppressions',
    help: '1 if this process drops messages of suppressed people, 0 if it stores nothing of people',
    registers: [registry],
    aggregator: 'min',
  });
  gauge.set(follows ? 1 : 0);
}
