import { type DoctorCheck } from '../examination.js';
import { well } from '../finding.js';

/** Metadata of the greatest length that an intent of a block has, with the names of its topic and shard. */
export const probedMetadata = `block:9007199254740991@1893456000000@${'s'.repeat(31)}`;

export const kafkaCommits: DoctorCheck = {
  check: 'kafka.commits',
  tested: 'a committed offset comes back with its metadata',
  run: async ({ group }) => {
    const { metadata } = await group();
    if (metadata === probedMetadata) return well('metadata came back whole');
    return {
      verdict: 'fails',
      found:
        metadata === undefined
          ? 'the commit was not found'
          : `${metadata.length} of ${probedMetadata.length} characters came back`,
      meaning: 'A consumer that dies between INSERT and commit leaves no intent: its block may be stored twice.',
      action: 'Do not run Sluice on this Kafka: docs/decisions/0010-exactly-once.md',
    };
  },
};
