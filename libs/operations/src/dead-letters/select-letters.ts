import { allTopics, withTopicPrefix } from '@sluice/contracts';
import { type DeadLetter, type LetterSummary } from '@sluice/kafka';
import { OperationError } from '../operation-error.js';

/** Conditions on dead letters. */
export interface LetterConditions {
  topic?: string;
  /** Text that the reason contains. */
  reason?: string;
  /** Identifier of the source of the messages. */
  source?: string;
  /** Range of the time at which letters were refused, milliseconds since 1970; `to` is not included. */
  from?: number;
  to?: number;
}

type Selectable = Pick<DeadLetter | LetterSummary, 'topic' | 'reason' | 'key' | 'refusedAt'>;

/** Source of a letter's message, by its key; empty when the key names none. */
export const sourceOfLetter = ({ key }: Pick<Selectable, 'key'>): string =>
  /^([A-Za-z0-9]+):/.exec(key?.toString() ?? '')?.[1] ?? '';

/** True if a letter meets all conditions. */
export const isSelected = (
  letter: Selectable,
  { topic, reason = '', source, from = -Infinity, to = Infinity }: LetterConditions,
): boolean =>
  (topic === undefined || letter.topic === withTopicPrefix(topic)) &&
  letter.refusedAt >= from &&
  letter.refusedAt < to &&
  (source === undefined || sourceOfLetter(letter) === source) &&
  letter.reason.includes(reason);

/** Topics whose letters may match: all topics, or the named one. @throws OperationError when it does not exist. */
export function requireLetterTopics(topic: string | undefined): string[] {
  const topicName = topic === undefined ? undefined : withTopicPrefix(topic);
  const topics = allTopics.map(({ name }) => name).filter((name) => [undefined, name].includes(topicName));
  if (topics.length === 0) throw new OperationError(`there is no topic ${topic ?? ''}`);
  return topics;
}
