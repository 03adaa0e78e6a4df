import { type KafkaConfig, LetterIndex } from '@sluice/kafka';
import { ConsoleReader } from '../console/console-state.js';
import { ConsoleWriter, ensureConsoleTopic } from '../console/console-writer.js';
import { OperationError } from '../operation-error.js';
import { withKafka } from '../servers/with-kafka.js';
import { isTreated, markDismissed, markDismissedUntil, readDismissedUntil } from './letter-marks.js';
import { isSelected, type LetterConditions, requireLetterTopics } from './select-letters.js';

const limitMs = 10 * 60_000;

export interface LettersToDismiss extends LetterConditions {
  /** Letters by id; all by default. */
  ids?: readonly string[];
  /** Reason for not sending the letters back. */
  why: string;
  /** Name of the person who dismisses them. */
  by: string;
}

/** Letters that a dismissal takes. */
export interface LettersInQuestion {
  /** The newest first. */
  ids: readonly string[];
  /** Number of the oldest letters, which are too many to be listed: only a dismissal of all letters takes them. */
  oldest: number;
}

/**
 * Dismisses the letters that match and that nobody has replayed or dismissed, as the console does.
 * @param decide gets these letters; they are dismissed when it calls `write`
 * @throws OperationError when a letter or the topic does not exist, or Kafka cannot be reached.
 */
export function dismissLetters(
  config: KafkaConfig,
  { why, by, ids = [], ...conditions }: LettersToDismiss,
  decide: (letters: LettersInQuestion, write: () => Promise<void>) => Promise<void>,
): Promise<void> {
  const topics = requireLetterTopics(conditions.topic);
  return withKafka(config, limitMs, async (kafka) => {
    await ensureConsoleTopic(kafka, config);
    const reader = new ConsoleReader(kafka);
    const index = new LetterIndex(kafka, topics, (letter) => isTreated(reader.state, letter));
    const writer = new ConsoleWriter(kafka, reader.state);
    try {
      // Marks are read first: the index leaves out treated letters.
      await reader.start();
      await index.refresh();
      const missing = ids.filter((id) => !index.find(id));
      if (missing.length > 0) throw new OperationError(`no dead letter ${missing.join(', ')}; nothing was dismissed`);
      const chosenIds = new Set(ids);
      const idsToDismiss = index.letters
        .filter(({ id }) => chosenIds.size === 0 || chosenIds.has(id))
        .filter((letter) => isSelected(letter, conditions) && !isTreated(reader.state, letter))
        .map(({ id }) => id);
      const isAll = ids.length === 0 && Object.keys(conditions).length === 0;
      const oldest = isAll ? index.countUnlistedUntreated(readDismissedUntil(reader.state)) : 0;
      await decide({ ids: idsToDismiss, oldest }, async () => {
        await markDismissed(writer, idsToDismiss, { why, by });
        if (oldest > 0) await markDismissedUntil(writer, index.unlistedUntil, { why, by });
      });
    } finally {
      await Promise.all([reader.stop(), writer.stop()]);
    }
  });
}
