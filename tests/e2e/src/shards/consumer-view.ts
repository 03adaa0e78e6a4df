import { trackTopic } from '@sluice/contracts';
import { type ServerProcess } from '@sluice/testing';

/** The state that a consumer reports at its management port. */
export class ConsumerView {
  constructor(private readonly consumer: ServerProcess) {}

  get metricsUrl(): string {
    return `http://127.0.0.1:${this.consumer.spec.port}/metrics`;
  }

  async health(): Promise<string> {
    return (await fetch(new URL('/health/ready', this.metricsUrl), { signal: AbortSignal.timeout(5_000) })).text();
  }

  /** Values of a metric with its labels. */
  async series(metric: string): Promise<{ labels: Record<string, string>; value: number }[]> {
    const text = await (await fetch(this.metricsUrl, { signal: AbortSignal.timeout(5_000) })).text();
    const matches = text.matchAll(new RegExp(`^${metric}(?:\\{(.*)\\})? (\\S+)$`, 'gm'));
    return Array.from(matches, ([, labels = '', value]) => ({ labels: parseLabels(labels), value: Number(value) }));
  }

  /** Age of the oldest message of events that waits in one of these partitions. */
  async waitsSeconds(partitions: readonly number[]): Promise<number> {
    const ages = await this.series('sluice_consumer_oldest_waiting_seconds');
    const ours = ages.filter(({ labels }) => areEventLabels(labels, partitions));
    return Math.max(...ours.map(({ value }) => value));
  }

  /** The stuck partitions of events, and the codes of their failures. */
  async stuckEvents(): Promise<{ partitions: number[]; reasons: string[] }> {
    const stuck = (await this.series('sluice_consumer_stuck_seconds')).filter(
      ({ labels }) => labels['topic'] === trackTopic.name,
    );
    const reasons = stuck.map(({ labels: { what: step = '', code = '', shard = '' } }) =>
      `${step} ${code} ${shard}`.trim(),
    );
    return {
      partitions: stuck.map(({ labels }) => Number(labels['partition'])).sort((a, b) => a - b),
      reasons: [...new Set(reasons)],
    };
  }
}

const areEventLabels = (labels: Record<string, string>, partitions: readonly number[]): boolean =>
  labels['topic'] === trackTopic.name && partitions.includes(Number(labels['partition']));

const parseLabels = (text: string): Record<string, string> =>
  Object.fromEntries(
    Array.from(text.matchAll(/(\w+)="(.*?)"/g), ([, name = '', value = '']) => [name, value] as const),
  );
