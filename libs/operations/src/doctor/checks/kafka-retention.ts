import { allTopics, deadLetterTopic, systemTopics } from '@sluice/contracts';
import { readDurability, type TopicDurability } from '@sluice/kafka';
import { type DoctorCheck } from '../examination.js';
import { type Finding, well } from '../finding.js';
import { joinNames } from '../join-names.js';

const hourMs = 3_600_000;
/** Topics with a declared retention keep samples and traces: they may be short. */
const dataTopics = [...allTopics, ...systemTopics].filter(({ retentionHours }) => retentionHours === undefined);

export const kafkaRetention: DoctorCheck = {
  check: 'kafka.retention',
  tested: 'messages stay in Kafka for the longest outage that is meant to lose nothing',
  run: async ({ kafka, question }) => {
    const data = await readDurability(
      kafka,
      dataTopics.map(({ name }) => name),
    );
    const letters = await readDurability(
      kafka,
      dataTopics.map(({ name }) => deadLetterTopic(name)),
    );
    const { TOPIC_OVERRIDES, TOPIC_RETENTION_HOURS } = question.config;
    const isChosen = ({ topic, retentionMs }: TopicDurability): boolean =>
      (TOPIC_OVERRIDES?.get(topic)?.['retention-hours'] ?? TOPIC_RETENTION_HOURS ?? NaN) * hourMs === retentionMs;
    return judgeRetention(question.outageHours, data, letters, isChosen);
  },
};

export function judgeRetention(
  outageHours: number,
  data: readonly TopicDurability[],
  letters: readonly TopicDurability[],
  isChosen: (topic: TopicDurability) => boolean = () => false,
): Finding {
  if (data.length === 0)
    return { verdict: 'unknown', found: 'there are no topics', meaning: '', action: 'Run operator migrate.' };
  const hours = ({ retentionMs = Infinity }: TopicDurability): number => retentionMs / hourMs;
  const short = data.filter((topic) => hours(topic) < outageHours);
  if (short.length > 0) {
    return {
      // A retention that the configuration names is meant.
      verdict: short.every(isChosen) ? 'attention' : 'fails',
      found: `${joinNames(short.map((topic) => `${topic.topic} (${hours(topic)} h)`))} keep messages for less than ${outageHours} h`,
      meaning: 'ClickHouse may be down for that long; then Kafka deletes messages that were never stored.',
      action: 'Raise TOPIC_RETENTION_HOURS and run operator migrate, or say --outage-hours.',
    };
  }
  const bounded = data.filter(({ retentionBytes }) => retentionBytes !== undefined);
  if (bounded.length > 0) {
    return {
      verdict: 'attention',
      found: `retention.bytes bounds ${joinNames(bounded.map(({ topic }) => topic))}`,
      meaning: 'In an outage Kafka deletes by size, however young the messages are.',
      action: 'Remove retention.bytes of these topics, or know how many hours it holds.',
    };
  }
  const brief = letters.filter((topic) => hours(topic) < Math.min(...data.map(hours)));
  if (brief.length > 0) {
    return {
      verdict: 'attention',
      found: `${joinNames(brief.map(({ topic }) => topic))} go before the messages of their topic`,
      meaning: 'A refused message may be gone before anyone has looked at it.',
      action: 'Raise DEAD_LETTER_RETENTION_HOURS and run operator migrate.',
    };
  }
  return well(`at least ${Math.min(...data.map(hours))} h, for outages of ${outageHours} h`);
}
