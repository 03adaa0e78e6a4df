import { allTopics, deadLetterTopic } from '@sluice/contracts';
import { type DeadLetter, DeadLetterBox, type KafkaConfig, type LetterSummary, readCluster } from '@sluice/kafka';
import { withKafka } from '../servers/with-kafka.js';
import { formatDuration } from '../format-duration.js';
import { type DeadLetterStatus, type Judged, type SystemReport } from '@sluice/console-api';

const limitMs = 20_000;
/** Number of the newest letters that are read for their reasons. */
const maxLettersRead = 200;
/** Max number of messages in a dead-letter topic to count its letters one by one; else, messages count as letters. */
const maxCounted = 1_000;

/** Reads the number of dead letters and their reasons. @throws OperationError when Kafka cannot be used in time. */
export function readDeadLetterStatus(config: KafkaConfig): Promise<SystemReport['deadLetters']> {
  return withKafka(config, limitMs, async (kafka) => {
    const names = allTopics.map(({ name }) => name);
    const { topics: boxes } = await readCluster(kafka, names.map(deadLetterTopic));
    const usedTopics = names.flatMap((topic, index) => {
      const letters = boxes[index]?.messages ?? 0;
      return letters > 0 ? [{ topic, letters }] : [];
    });
    const box = new DeadLetterBox(kafka);
    const smallTopics = usedTopics.filter(({ letters }) => letters <= maxCounted).map(({ topic }) => topic);
    const counts = await box.count(smallTopics);
    const newestLetters = await box.read({ topics: usedTopics.map(({ topic }) => topic), limit: maxLettersRead });
    const topics = usedTopics.map(({ topic, letters: messages }) => {
      const lettersOfTopic = newestLetters.filter((letter) => letter.topic === topic);
      const letters = counts.get(topic) ?? messages;
      // The console alone knows which letters were treated.
      return { topic, letters, ...summarizeLetters(lettersOfTopic), untreated: letters };
    });
    return { ...judgeDeadLetters(topics), topics };
  });
}

/** Max number of reasons that are named for a topic. */
const maxReasons = 20;

/**
 * Judges all letters of an index.
 * @param letters the newest first
 * @param unlisted numbers of further ones, and of the untreated ones among them
 */
export function judgeLetters(
  letters: readonly LetterSummary[],
  unlisted: { letters: number; untreated: number },
  isTreated: (letter: LetterSummary) => boolean,
): SystemReport['deadLetters'] {
  const topics = Array.from(
    Map.groupBy(letters, ({ topic }) => topic),
    ([topic, lettersOfTopic]): DeadLetterStatus => {
      const open = lettersOfTopic.filter((letter) => !isTreated(letter));
      const oldest = open.at(-1);
      const oldestUntreated = oldest ? new Date(oldest.refusedAt).toISOString() : null;
      return {
        topic,
        letters: lettersOfTopic.length,
        ...summarizeLetters(lettersOfTopic),
        untreated: open.length,
        oldestUntreated,
      };
    },
  );
  const olderLetters = { topic: 'older letters', newest: null, reasons: [], ...unlisted };
  const judged = judgeDeadLetters(unlisted.letters > 0 ? [...topics, olderLetters] : topics);
  return { ...judged, topics };
}

function summarizeLetters(
  letters: readonly Pick<DeadLetter, 'reason' | 'refusedAt'>[],
): Pick<DeadLetterStatus, 'newest' | 'reasons'> {
  const counts = new Map<string, number>();
  for (const { reason } of letters) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  const [newestLetter] = letters;
  return {
    newest: newestLetter ? new Date(newestLetter.refusedAt).toISOString() : null,
    reasons: [...counts]
      .map(([reason, count]) => ({ reason, letters: count }))
      .sort((a, b) => b.letters - a.letters)
      .slice(0, maxReasons),
  };
}

/** Age does not matter: an untreated letter needs attention, a treated one does not. */
export function judgeDeadLetters(topics: readonly DeadLetterStatus[], now = Date.now()): Judged {
  const total = topics.reduce((sum, { letters }) => sum + letters, 0);
  if (total === 0) return { verdict: 'ok', summary: 'none' };
  const untreated = topics.reduce((sum, topic) => sum + (topic.untreated ?? topic.letters), 0);
  if (untreated === 0) return { verdict: 'ok', summary: `${total}, all sent back, stored or dismissed` };
  const ages = topics.flatMap(({ newest: time }) => (time === null ? [] : [(now - Date.parse(time)) / 1_000]));
  const newestText = ages.length === 0 ? '' : `, the newest letter ${formatDuration(Math.min(...ages))} ago`;
  return { verdict: 'attention', summary: `${untreated} of ${total} untreated${newestText}` };
}
