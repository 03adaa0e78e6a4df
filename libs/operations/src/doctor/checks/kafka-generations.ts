import { type DoctorCheck } from '../examination.js';
import { well } from '../finding.js';

export const kafkaGenerations: DoctorCheck = {
  check: 'kafka.generations',
  tested: 'a commit of an older generation of a group is refused',
  run: async ({ group }) => {
    const { lateCommit } = await group();
    if (lateCommit !== undefined) return well(`refused with ${lateCommit}`);
    return {
      verdict: 'fails',
      found: 'Kafka took the commit of a member that had lost its partition',
      meaning: 'A consumer that only seemed dead overwrites the position of its successor: rows are lost or doubled.',
      action: 'Do not run Sluice on this Kafka: docs/decisions/0010-exactly-once.md',
    };
  },
};
