import { type SendProbe } from '@sluice/kafka';
import { type DoctorCheck } from '../examination.js';
import { type Finding, well } from '../finding.js';

/** Sends beyond this time go to the disk of the gateway (docs/decisions/0013-spool.md). */
const deadlineMs = 2_000;
const slowMs = 500;

export const kafkaTime: DoctorCheck = {
  check: 'kafka.time',
  tested: 'a message is acknowledged well within the 2 s that a gateway waits',
  run: async ({ sends }) => judgeSends(await sends()),
};

export function judgeSends(sends: readonly SendProbe[]): Finding {
  const times = sends.map(({ tookMs }) => tookMs).sort((a, b) => a - b);
  const p99 = times[Math.ceil(times.length * 0.99) - 1] ?? Infinity;
  const text = `p99 of ${times.length} sends: ${Math.round(p99)} ms`;
  if (p99 < slowMs) return well(text);
  const meaning = 'Gateways answer as late as this; sends that take 2 s go to their disks, and may be in Kafka twice.';
  const action = 'Look at the disks of the brokers and at the network between.';
  return { verdict: p99 < deadlineMs ? 'attention' : 'fails', found: text, meaning, action };
}
