import { type Admin, ConfigResourceTypes } from '@sluice/kafkajs';
import { type TopicSettings } from './topic-settings.js';

/** A setting of a topic that differs from the chosen one, with Kafka's own names. */
export interface TopicChange {
  readonly topic: string;
  readonly setting: string;
  readonly from: string;
  readonly to: string;
}

/** Kafka's number for the source of values that were set for a topic itself, not for its broker or by default. */
const setForTopic = 1;

export async function findChanges(admin: Admin, topicSettings: readonly TopicSettings[]): Promise<TopicChange[]> {
  const chosen = topicSettings.filter((settings) => Object.keys(settings.chosen).length > 0);
  if (chosen.length === 0) return [];
  const present = await readSettings(
    admin,
    chosen.map(({ topic }) => topic),
  );
  return chosen.flatMap(({ topic, chosen: settings }) =>
    Object.entries(settings).flatMap(([setting, to]) => {
      const from = present.get(topic)?.get(setting)?.value ?? '';
      return from === to ? [] : [{ topic, setting, from, to }];
    }),
  );
}

/** kafkajs can only replace all settings of a topic at once, so unchanged ones are sent again. */
export async function applyChanges(admin: Admin, changes: readonly TopicChange[]): Promise<void> {
  const byTopic = Map.groupBy(changes, ({ topic }) => topic);
  if (byTopic.size === 0) return;
  const present = await readSettings(admin, [...byTopic.keys()]);
  const resources = [...byTopic].map(([topic, changesOfTopic]) => {
    const ownSettings = [...(present.get(topic) ?? [])].filter(([, { isOwn }]) => isOwn);
    const values = new Map(ownSettings.map(([name, { value }]) => [name, value]));
    for (const { setting, to } of changesOfTopic) values.set(setting, to);
    const configEntries = [...values].map(([name, value]) => ({ name, value }));
    return { type: ConfigResourceTypes.TOPIC, name: topic, configEntries };
  });
  await admin.alterConfigs({ validateOnly: false, resources });
}

type Settings = Map<string, { value: string; isOwn: boolean }>;

async function readSettings(admin: Admin, topics: readonly string[]): Promise<Map<string, Settings>> {
  const { resources } = await admin.describeConfigs({
    includeSynonyms: false,
    resources: topics.map((name) => ({ type: ConfigResourceTypes.TOPIC, name })),
  });
  return new Map(
    resources.map(({ resourceName, configEntries }) => [
      resourceName,
      new Map(
        configEntries.map(({ configName, configValue, configSource }) => [
          configName,
          { value: configValue, isOwn: (configSource as number) === setForTopic },
        ]),
      ),
    ]),
  );
}
