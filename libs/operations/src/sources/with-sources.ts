import { type Kafka, type KafkaConfig } from '@sluice/kafka';
import { ensureSourcesTopic, SourceReader, type SourceRegistry } from '@sluice/sources';

/** Gives `work` all sources, which are followed while it lasts. */
export async function withSources<T>(
  kafka: Kafka,
  config: KafkaConfig,
  work: (registry: SourceRegistry) => Promise<T> | T,
): Promise<T> {
  await ensureSourcesTopic(kafka, config);
  const reader = new SourceReader(kafka);
  try {
    await reader.start();
    return await work(reader.registry);
  } finally {
    await reader.stop();
  }
}
