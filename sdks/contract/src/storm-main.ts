import { storm } from './storm.js';

for (const outage of ['silent', 'refusing'] as const) {
  const { clients, mean, busiest, ratio } = await storm(10_000, 1, outage);
  console.log(
    `${outage}: ${clients} clients, ${mean.toFixed(0)} requests in the mean second of the minute of recovery, ` +
      `${busiest} in the busiest: ${ratio.toFixed(2)} times`,
  );
}
