import { allTopics, deadLetterTopic } from '@sluice/contracts';
import { type DeadLetter, DeadLetterBox, type KafkaConfig, readCluster } from '@sluice/kafka';
import { withKafka } from '../servers/with-kafka.js';
import { duration } from '../duration.js';
import { type DeadLetterStatus, type Judged, type StatusReport } from '@sluice/console-api';

const limitMs = 20_000;
/** Number of the newest letters that are read for their reasons. */
const newest = 200;
/** Max number of messages in a dead-letter topic to count its letters one by one; else, messages count as letters. */
const maxCounted = 1_000;

/** Gives the ids of the letters that were sent back, are stored, or were dismissed. */
export type Treated = (letters: readonly DeadLetter[]) => Promise<ReadonlySet<string>>;
const noneTreated: Treated = () => Promise.resolve(new Set());

/** Reads the number of dead letters and their reasons. @throws OperationError when Kafka cannot be used in time. */
export function readDeadLetterStatus(
  config: KafkaConfig,
  treated: Treated = noneTreated,
): Promise<StatusReport['deadLetters']> {
  return withKafka(config, limitMs, async (kafka) => {
    const names = allTopics.map(({ name }) => name);
    const { topics: boxes } = await readCluster(kafka, names.map(deadLetterTopic));
    const used = names.flatMap((topic, i) => {
      const letters = boxes[i]?.messages ?? 0;
      return letters > 0 ? [{ topic, letters }] : [];
    });
    const box = new DeadLetterBox(kafka);
    const small = used.filter(({ letters }) => letters <= maxCounted).map(({ topic }) => topic);
    const counts = await box.count(small);
    const read = await box.read({ topics: used.map(({ topic }) => topic), limit: newest });
    const done = await treated(read);
    const isAllRead = read.length < newest;
    const topics = used.map(({ topic, letters: messages }) => {
      const own = read.filter((letter) => letter.topic === topic);
      const open = own.filter(({ id }) => !done.has(id));
      const letters = counts.get(topic) ?? messages;
      // Letters that were not read count as untreated: nobody knows better.
      const untreated = isAllRead ? open.length : open.length + Math.max(0, letters - own.length);
      return { topic, letters, ...summaryOf(own), untreated };
    });
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

/** Age does not matter: an untreated letter needs attention, a treated one does not. */
export function judgeDeadLetters(topics: readonly DeadLetterStatus[], now = Date.now()): Judged {
  const all = topics.reduce((sum, { letters }) => sum + letters, 0);
  if (all === 0) return { verdict: 'ok', summary: 'none' };
  const untreated = topics.reduce((sum, one) => sum + (one.untreated ?? one.letters), 0);
  if (untreated === 0) return { verdict: 'ok', summary: `${all}, all sent back, stored or dismissed` };
  const ages = topics.flatMap(({ newest: at }) => (at === null ? [] : [(now - Date.parse(at)) / 1_000]));
  const newestAt = ages.length === 0 ? '' : `, the newest letter ${duration(Math.min(...ages))} ago`;
  return { verdict: 'attention', summary: `${untreated} of ${all} untreated${newestAt}` };
}
