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
export async function createSender(servers: Servers, isWatched = false): Promise<BenchSource> {
  return nativeOf(await create(servers, { isWatched }));
}

/** Creates a source that clients of Segment send to, as well as others. */
export async function createSegmentSender(servers: Servers): Promise<{ native: BenchSource; segment: BenchSource }> {
  const created = await create(servers, { isSegment: true });
  const { sourceIdentifier, apiKey } = created;
  const user = Buffer.from(`${sourceIdentifier}_${apiKey}:`).toString('base64');
  return {
    native: nativeOf(created),
    segment: { path: '/v1', headers: { authorization: `Basic ${user}`, 'content-type': 'application/json' } },
  };
}

interface Created {
  readonly sourceIdentifier: string;
  readonly apiKey: string;
}

const nativeOf = ({ sourceIdentifier, apiKey }: Created): BenchSource => ({
  path: `/api/tracker/sdk/${sourceIdentifier}`,
  headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
});

async function create({ brokers }: Servers, { isWatched = false, isSegment = false }): Promise<Created> {
  const config = kafkaConfig(brokers);
  const kafka = createKafka(config, 'bench');
  await ensureSourcesTopic(kafka, config);
  const sources = new SourceWriter(kafka, new SourceRegistry());
  const { source, apiKey } = await sources.create({
    name: 'bench',
    type: 'tracking-api',
    ...(isSegment && { segment: 'on' }),
  });
  if (isWatched) await sources.watch(source.sourceIdentifier, new Date(Date.now() + watchedMs));
  return { sourceIdentifier: source.sourceIdentifier, apiKey };
}
