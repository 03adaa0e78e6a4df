import { type DeadLetter, DeadLetterBox, type KafkaConfig, type Replay } from '@sluice/kafka';
import { type PrivacyConfig, SuppressionFilter, topicsKeyedByPerson } from '@sluice/privacy';
import { withSuppressions } from '../privacy/present-suppressions.js';
import { withKafka } from '../servers/with-kafka.js';
import { isSelected, type LetterConditions, requireLetterTopics } from './select-letters.js';

const readLimitMs = 120_000;
/** Time limit of a replay, which may have millions of letters; each send has its own limit. */
const replayLimitMs = 6 * 60 * 60 * 1_000;

/** Letters that are read: those that meet the conditions and, if there are ids, have one of them; newest first. */
export interface LettersToRead extends LetterConditions {
  ids?: readonly string[];
  limit: number;
}

/** Reads dead letters, with a connection for each call. @throws OperationError when the topic does not exist. */
export async function selectLetters(
  config: KafkaConfig,
  { limit, ids = [], topic, ...conditions }: LettersToRead,
): Promise<DeadLetter[]> {
  const topics = requireLetterTopics(topic);
  const chosenIds = new Set(ids);
  const isFiltered = chosenIds.size > 0 || Object.keys(conditions).length > 0;
  const matches = (letter: DeadLetter): boolean =>
    (chosenIds.size === 0 || chosenIds.has(letter.id)) && isSelected(letter, conditions);
  return withKafka(config, readLimitMs, (kafka) =>
    new DeadLetterBox(kafka).read({ topics, limit, ...(isFiltered && { matches }) }),
  );
}

/**
 * Replays letters, except those of suppressed people, which it returns as refused: their messages must not get into the
 * topic again.
 * @throws OperationError when Kafka cannot be reached, or PRIVACY_KEY is not that of the records: nothing was sent then.
 * Also throws when the time limit is over; some letters may have been sent then.
 */
export function replayLetters(config: KafkaConfig & PrivacyConfig, letters: readonly DeadLetter[]): Promise<Replay> {
  return withKafka(config, replayLimitMs, (kafka) =>
    withSuppressions(kafka, config, async (suppressions) => {
      const filter = new SuppressionFilter(suppressions, topicsKeyedByPerson);
      const isDropped = (letter: DeadLetter): boolean =>
        filter.drops(letter.topic, { ...letter, timestamp: String(letter.refusedAt) });
      const [dropped, replayable] = [letters.filter(isDropped), letters.filter((letter) => !isDropped(letter))];
      const replay = await new DeadLetterBox(kafka).replay(replayable);
      const suppressed = dropped.map((letter) => ({ letter, why: 'its person is suppressed' }));
      return { ...replay, refused: [...replay.refused, ...suppressed] };
    }),
  );
}
