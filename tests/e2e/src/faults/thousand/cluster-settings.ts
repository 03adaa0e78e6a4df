import { createKafka, keepTrying, type Kafka } from '@sluice/kafka';

const ownSource = 1;
const repairMs = 60_000;
type Admin = ReturnType<Kafka['admin']>;
type ResourceType = Parameters<Admin['describeConfigs']>[0]['resources'][number]['type'];
// Kafka's number for topics. The enum itself is a value of kafkajs, which only libs/kafkajs may import.
// eslint-disable-next-line @typescript-eslint/no-unsafe-enum-assignment
const topicResource = 2 as ResourceType;

/** Changes Kafka topics like an administrator. */
export class ClusterSettings {
  readonly kafka: Kafka;
  /** Each topic's own settings before its first change; read once, because a broker may still report an earlier change. */
  private readonly original = new Map<string, Map<string, string>>();

  constructor(brokers: readonly string[]) {
    this.kafka = createKafka({ KAFKA_BROKERS: [...brokers] }, 'faults-admin');
  }

  async asAdmin<T>(work: (admin: Admin) => Promise<T>): Promise<T> {
    const admin = this.kafka.admin();
    await admin.connect();
    try {
      return await work(admin);
    } finally {
      await admin.disconnect();
    }
  }

  /** Changes a setting of a topic, does the work and restores the topic's settings. */
  async with(topic: string, setting: string, value: string, work: () => Promise<void>): Promise<void> {
    const before = this.original.get(topic) ?? (await this.readOwn(topic));
    this.original.set(topic, before);
    await this.replace(topic, new Map([...before, [setting, value]]));
    try {
      await work();
    } finally {
      await keepTrying(`restoring ${topic}`, () => this.replace(topic, before), AbortSignal.timeout(repairMs));
    }
  }

  private readOwn(topic: string): Promise<Map<string, string>> {
    return this.asAdmin(async (admin) => {
      const request = { includeSynonyms: false, resources: [{ type: topicResource, name: topic }] };
      const [resource] = (await admin.describeConfigs(request)).resources;
      const ownEntries =
        resource?.configEntries.filter(({ configSource }) => (configSource as number) === ownSource) ?? [];
      return new Map(ownEntries.map(({ configName, configValue }) => [configName, configValue]));
    });
  }

  /** Replaces all settings of a topic, because kafkajs cannot change a single one. */
  private async replace(topic: string, settings: Map<string, string>): Promise<void> {
    const configEntries = [...settings].map(([name, value]) => ({ name, value }));
    await this.asAdmin((admin) =>
      admin.alterConfigs({ validateOnly: false, resources: [{ type: topicResource, name: topic, configEntries }] }),
    );
  }
}
