import { withTopicPrefix } from '@sluice/contracts';
import { type CompactedRecord, ensureCompactedTopic, type Kafka, type KafkaConfig } from '@sluice/kafka';

/** The compacted topic in which gateways share how much each source has sent. */
export const usageTopic = withTopicPrefix('source-usage.v1');

/** Totals that one gateway process has accepted from one source. The newest record replaces the earlier ones. */
export interface SourceUsage {
  sourceIdentifier: string;
  /** Id of the process, new at each start. */
  instance: string;
  /** Id of the gateway of the process; its workers share their rates without Kafka. */
  gateway: string;
  /** Number of requests counted against the source's rate since the process began. */
  requests: number;
  /** UTC day of `messages` and `people`, `2026-01-31`. */
  day: string;
  /** Number of messages taken on that day that `dailyQuota` counts. */
  messages: number;
  /** Number of those that `dailyPeopleQuota` counts; 0 when it is missing, as in records of older gateways. */
  people?: number;
}

/** Creates the usage topic if it does not exist. */
export const ensureUsageTopic = (kafka: Kafka, config: KafkaConfig): Promise<string[]> =>
  ensureCompactedTopic(kafka, config, usageTopic);

export const usageKey = ({ instance, sourceIdentifier }: SourceUsage): string => `${instance}:${sourceIdentifier}`;

export const usageRecord = (usage: SourceUsage): CompactedRecord => ({
  key: usageKey(usage),
  value: Buffer.from(JSON.stringify(usage)),
});

/** @throws when the bytes are not a record of the topic. */
export function parseUsage(value: Buffer): SourceUsage {
  const usage = JSON.parse(value.toString()) as Partial<SourceUsage> | null;
  const { sourceIdentifier, instance, gateway, requests, day, messages, people = 0 } = usage ?? {};
  const areTexts = [sourceIdentifier, instance, gateway, day].every((text) => typeof text === 'string');
  if (!areTexts || !isCount(requests) || !isCount(messages) || !isCount(people))
    throw new TypeError('not the usage of a source');
  return usage as SourceUsage;
}

const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) >= 0;
