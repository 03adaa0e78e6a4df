import { createKafka } from '@sluice/kafka';
import { ensureSourcesTopic, SourceRegistry, SourceWriter } from '@sluice/sources';
import { kafkaConfig } from './kafka-config.js';
import { type Servers } from './servers.js';

/** A source to send as: the prefix of its paths and its credentials. */
export interface BenchSource {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
}

const watchedMs = 3_600_000;

/**
 * Creates a source. A running gateway knows it within a second, a gateway started afterwards at once. Of a watched one
 * gateways keep more refusals.
 */
export async function createSender({ brokers }: Servers, isWatched = false): Promise<BenchSource> {
  const config = kafkaConfig(brokers);
  const kafka = createKafka(config, 'bench');
  await ensureSourcesTopic(kafka, config);
  const sources = new SourceWriter(kafka, new SourceRegistry());
  const { source, apiKey } = await sources.create({ name: 'bench', type: 'tracking-api' });
  if (isWatched) await sources.watch(source.sourceIdentifier, new Date(Date.now() + watchedMs));
  return {
    path: `/api/tracker/sdk/${source.sourceIdentifier}`,
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
  };
}
