import { allTopics, deadLetterTopic, withTopicPrefix } from '@sluice/contracts';
import { makeValidator } from '@sluice/service';

/** Settings that an operator may choose for a single topic. */
export type TopicOverride = Partial<Record<OverrideName, number>>;
const overrideNames = ['partitions', 'retention-hours', 'min-insync-replicas'] as const;
type OverrideName = (typeof overrideNames)[number];

/** Reads `topic:name=number,name=number;topic:name=number`. */
export const topicOverrides = makeValidator<ReadonlyMap<string, TopicOverride>>((input) => {
  const knownTopics = new Set(allTopics.flatMap(({ name }) => [name, deadLetterTopic(name)]));
  const entries = input.split(';').filter((entry) => entry.trim() !== '');
  return new Map(entries.map((entry) => parseOverride(entry.trim(), knownTopics)));
});

function parseOverride(entry: string, knownTopics: ReadonlySet<string>): [string, TopicOverride] {
  const [name = '', settings = ''] = entry.split(':').map((part) => part.trim());
  const topic = withTopicPrefix(name);
  if (!knownTopics.has(topic))
    throw new TypeError(`"${topic}" is not a topic of Sluice (${[...knownTopics].join(', ')})`);
  return [topic, Object.fromEntries(settings.split(',').map((setting) => parseSetting(topic, setting.trim())))];
}

function parseSetting(topic: string, setting: string): [OverrideName, number] {
  const [name, value = ''] = setting.split('=');
  const overrideName = overrideNames.find((candidate) => candidate === name);
  if (!overrideName || !/^[1-9]\d{0,8}$/.test(value)) {
    throw new TypeError(`"${setting}" of ${topic} must be one of ${overrideNames.join(', ')}, "=" and a whole number`);
  }
  return [overrideName, Number(value)];
}
