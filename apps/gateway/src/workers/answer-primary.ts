import { type Health, type HealthCheck, type Registry, type Running } from '@sluice/service';
import { type FleetAnswers, isFleetMessage, type FleetMessage, type FleetTopic } from './messages.js';

/** Answers the primary's questions about health and metrics, because a worker has no management port. */
export function answerPrimary(_config: unknown, health: Health, metrics: Registry): Promise<Running> {
  const answers: { [T in FleetTopic]: () => Promise<FleetAnswers[T]> } = {
    live: () => runChecks(health.live),
    ready: () => runChecks(health.ready),
    metrics: () => metrics.getMetricsAsJSON(),
    drained: () => isDrained(metrics),
  };
  const listener = (message: unknown): void => {
    if (!isFleetMessage(message) || message.kind !== 'question') return;
    const { id, topic } = message;
    void answers[topic]().then((answer) => toPrimary({ kind: 'answer', id, answer }));
  };
  process.on('message', listener);
  return Promise.resolve({
    close: () => {
      process.off('message', listener);
      return Promise.resolve();
    },
  });
}

/** Sends a message to the primary; does nothing when it is gone or there is none. */
export function toPrimary(message: FleetMessage): void {
  if (process.connected) process.send?.(message);
}

async function isDrained(metrics: Registry): Promise<{ ok: boolean }> {
  const gauge = await metrics.getSingleMetric('sluice_spool_messages')?.get();
  return { ok: gauge?.values.every(({ value }) => value === 0) ?? false };
}

async function runChecks(checks: Map<string, HealthCheck>): Promise<{ ok: boolean }> {
  try {
    for (const check of checks.values()) await check();
    return { ok: true };
  } catch {
    return { ok: false };
  }
}
