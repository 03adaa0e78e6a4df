import { allTopics, deadLetterTopic, ofInstallation } from '@sluice/contracts';
import { makeValidator } from '@sluice/service';

/** Settings that an operator may choose for a single topic. */
export type TopicOverride = Partial<Record<OverrideName, number>>;
const overrideNames = ['partitions', 'retention-hours', 'min-insync-replicas'] as const;
type OverrideName = (typeof overrideNames)[number];

/** Reads `topic:name=number,name=number;topic:name=number`. */
export const topicOverrides = makeValidator<ReadonlyMap<string, TopicOverride>>((input) => {
  const known = new Set(allTopics.flatMap(({ name }) => [name, deadLetterTopic(name)]));
  const entries = input.split(';').filter((entry) => entry.trim() !== '');
  return new Map(entries.map((entry) => parseOverride(entry.trim(), known)));
});

function parseOverride(entry: string, known: ReadonlySet<string>): [string, TopicOverride] {
  const [name = '', settings = ''] = entry.split(':').map((part) => part.trim());
  const topic = ofInstallation(name);
  if (!known.has(topic)) throw new TypeError(`"${topic}" is not a topic of Sluice (${[...known].join(', ')})`);
  return [topic, Object.fromEntries(settings.split(',').map((setting) => parseSetting(topic, setting.trim())))];
}

function parseSetting(topic: string, setting: string): [OverrideName, number] {
  const [name, value = ''] = setting.split('=');
  const known = overrideNames.find((one) => one === name);
  if (!known || !/^[1-9]\d{0,8}$/.test(value)) {
    throw new TypeError(`"${setting}" of ${topic} must be one of ${overrideNames.join(', ')}, "=" and a whole number`);
  }
  return [known, Number(value)];
}
