import { allTopics, deadLetterTopic, systemTopics } from '@sluice/contracts';
import { readCluster, readDurability, type TopicDurability } from '@sluice/kafka';
import { type DoctorCheck } from '../examination.js';
import { type Finding, well } from '../finding.js';
import { formatCount } from '../../format-count.js';
import { joinNames } from '../join-names.js';

const topics = [...allTopics, ...systemTopics].flatMap(({ name }) => [name, deadLetterTopic(name)]);

export const kafkaDurability: DoctorCheck = {
  check: 'kafka.durability',
  tested: 'an acknowledged message outlives a broker: copies, min.insync.replicas, unclean election',
  run: async ({ kafka }) => {
    const { brokers } = await readCluster(kafka, []);
    return judgeDurability(brokers, await readDurability(kafka, topics));
  },
};

export function judgeDurability(brokers: number, settings: readonly TopicDurability[]): Finding {
  if (settings.length === 0) {
    return { verdict: 'unknown', found: 'there are no topics', meaning: '', action: 'Run operator migrate.' };
  }
  const unclean = settings.filter(({ hasUncleanElection }) => hasUncleanElection);
  if (unclean.length > 0) {
    return {
      verdict: 'fails',
      found: `unclean.leader.election.enable is on for ${joinNames(unclean.map(({ topic }) => topic))}`,
      meaning: 'A broker that lacks acknowledged messages may become the leader: they are lost without a trace.',
      action: 'Set unclean.leader.election.enable=false on the brokers or these topics.',
    };
  }
  const single = settings.filter(({ replicas }) => replicas < 2);
  if (brokers < 3 || single.length === settings.length) {
    return {
      verdict: 'attention',
      found: `${formatCount(brokers, 'broker', 'brokers')}, ${formatCount(Math.min(...settings.map(({ replicas }) => replicas)), 'copy', 'copies')} of each message`,
      meaning: 'The disk of one broker is the only place of acknowledged messages that are not stored yet.',
      action: 'For production: three brokers, TOPIC_REPLICATION_FACTOR=3, two in-sync copies.',
    };
  }
  const weak = settings.filter(({ replicas, minInSync }) => replicas < 2 || minInSync < 2);
  if (weak.length > 0) {
    return {
      verdict: 'fails',
      found: `min.insync.replicas is 1 for ${joinNames(weak.map(({ topic }) => topic))}`,
      meaning:
        'A message counts as taken when one broker has it: with that broker it is lost, and gateways have answered 200.',
      action: 'Set TOPIC_MIN_INSYNC_REPLICAS=2 and run operator migrate.',
    };
  }
  const rigid = settings.filter(({ replicas, minInSync }) => minInSync >= replicas);
  if (rigid.length > 0) {
    return {
      verdict: 'attention',
      found: `all copies must be in sync for ${joinNames(rigid.map(({ topic }) => topic))}`,
      meaning: 'While one broker restarts, Kafka refuses messages: gateways keep them on their disks.',
      action: 'Set min.insync.replicas to one less than the copies.',
    };
  }
  return well(
    `${brokers} brokers, at least ${Math.min(...settings.map(({ minInSync }) => minInSync))} in-sync copies, no unclean election`,
  );
}
