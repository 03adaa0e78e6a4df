import { allTopics, deadLetterTopic } from '@sluice/contracts';
import { type DeadLetter, DeadLetterBox, type KafkaConfig, readCluster } from '@sluice/kafka';
import { withKafka } from '../servers/with-kafka.js';
import { duration } from '../duration.js';
import { type DeadLetterStatus, type Judged, type StatusReport } from '@sluice/console-api';

const limitMs = 20_000;
/** Number of the newest letters that are read for their reasons. */
const newest = 200;
const recentSeconds = 24 * 60 * 60;

/** Reads the number of dead letters and their reasons. @throws OperationError when Kafka cannot be used in time. */
export function readDeadLetterStatus(config: KafkaConfig): Promise<StatusReport['deadLetters']> {
  return withKafka(config, limitMs, async (kafka) => {
    const names = allTopics.map(({ name }) => name);
    const { topics: boxes } = await readCluster(kafka, names.map(deadLetterTopic));
    const used = names.flatMap((topic, i) => {
      const letters = boxes[i]?.messages ?? 0;
      return letters > 0 ? [{ topic, letters }] : [];
    });
    const read = await new DeadLetterBox(kafka).read({ topics: used.map(({ topic }) => topic), limit: newest });
    const topics = used.map((one) => ({ ...one, ...summaryOf(read.filter(({ topic }) => topic === one.topic)) }));
    return { ...judgeDeadLetters(topics), topics };
  });
}

function summaryOf(letters: readonly DeadLetter[]): Pick<DeadLetterStatus, 'newest' | 'reasons'> {
  const counts = new Map<string, number>();
  for (const { reason } of letters) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  const [first] = letters;
  return {
    newest: first ? new Date(first.refusedAt).toISOString() : null,
    reasons: [...counts].map(([reason, count]) => ({ reason, letters: count })).sort((a, b) => b.letters - a.letters),
  };
}

export function judgeDeadLetters(topics: readonly DeadLetterStatus[], now = Date.now()): Judged {
  const ages = topics.flatMap(({ newest: at }) => (at === null ? [] : [(now - Date.parse(at)) / 1_000]));
  const count = topics.reduce((sum, { letters }) => sum + letters, 0);
  if (count === 0) return { verdict: 'ok', summary: 'none' };
  const age = Math.min(...ages);
  const summary = `${count}, the newest ${duration(age)} ago`;
  return { verdict: age < recentSeconds ? 'attention' : 'ok', summary };
}
