import { allTopics, deadLetterTopic, systemTopics } from '@sluice/contracts';
import { readCluster } from '@sluice/kafka';
import { type DoctorCheck } from '../examination.js';
import { well } from '../finding.js';
import { joinNames } from '../join-names.js';

const topics = [...allTopics, ...systemTopics].flatMap(({ name }) => [name, deadLetterTopic(name)]);

export const kafkaTopics: DoctorCheck = {
  check: 'kafka.topics',
  tested: 'every topic is there, visible to this user, with all copies in sync',
  run: async ({ kafka }) => {
    const { topics: states } = await readCluster(kafka, topics);
    const missing = states.filter(({ partitions }) => partitions === 0);
    if (missing.length > 0) {
      return {
        verdict: 'fails',
        found: `not there, or not visible to this user: ${joinNames(missing.map(({ topic }) => topic))}`,
        meaning: 'Gateways cannot send to them, and consumers wait.',
        action: 'Run operator migrate, or grant what docs/rights.md#kafka lists.',
      };
    }
    const behind = states.filter(({ outOfSync }) => outOfSync > 0);
    if (behind.length === 0) return well(`${states.length} topics`);
    return {
      verdict: 'attention',
      found: `copies are not in sync: ${joinNames(behind.map(({ topic }) => topic))}`,
      meaning: 'Another broker less may make Kafka refuse messages.',
      action: 'Look at the brokers.',
    };
  },
};
