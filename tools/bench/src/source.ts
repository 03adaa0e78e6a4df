import { createKafka } from '@sluice/kafka';
import { ensureSourcesTopic, SourceRegistry, type SourceType, SourceWriter } from '@sluice/sources';
import { kafkaConfig } from './kafka-config.js';
import { type BenchServers } from './servers.js';

/** A source to send as: the prefix of its paths and its credentials. */
export interface BenchSource {
  readonly sourceIdentifier: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
}

const watchedMs = 3_600_000;

/**
 * Creates a source. A running gateway knows it within a second, a gateway started afterwards at once. Gateways keep
 * more refusals of a watched source.
 */
export async function createSender(servers: BenchServers, isWatched = false): Promise<BenchSource> {
  return toNativeSource(await create(servers, { isWatched }));
}

/** Creates a source that clients of Segment send to, as well as others. */
export async function createSegmentSender(
  servers: BenchServers,
): Promise<{ native: BenchSource; segment: BenchSource }> {
  const created = await create(servers, { isSegment: true });
  const { sourceIdentifier, apiKey } = created;
  const user = Buffer.from(`${sourceIdentifier}_${apiKey}:`).toString('base64');
  return {
    native: toNativeSource(created),
    segment: {
      sourceIdentifier,
      path: '/v1',
      headers: { authorization: `Basic ${user}`, 'content-type': 'application/json' },
    },
  };
}

/** Creates a source of a website, whose clients' user agents are kept or dropped. */
export async function createWebSender(servers: BenchServers, userAgent: 'keep' | 'drop'): Promise<BenchSource> {
  return toNativeSource(await create(servers, { type: 'web-sdk', userAgent }));
}

interface Wanted {
  readonly type?: SourceType;
  readonly isWatched?: boolean;
  readonly isSegment?: boolean;
  readonly userAgent?: 'keep' | 'drop';
}

interface Created {
  readonly sourceIdentifier: string;
  readonly apiKey: string;
}

const toNativeSource = ({ sourceIdentifier, apiKey }: Created): BenchSource => ({
  sourceIdentifier,
  path: `/api/tracker/sdk/${sourceIdentifier}`,
  headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
});

async function create(
  { brokers }: BenchServers,
  { type = 'tracking-api', isWatched = false, isSegment = false, userAgent }: Wanted,
): Promise<Created> {
  const config = kafkaConfig(brokers);
  const kafka = createKafka(config, 'bench');
  await ensureSourcesTopic(kafka, config);
  const sources = new SourceWriter(kafka, new SourceRegistry());
  const { source, apiKey } = await sources.create({
    name: 'bench',
    type,
    ...(isSegment && { segment: 'on' }),
  });
  if (isWatched) await sources.watch(source.sourceIdentifier, new Date(Date.now() + watchedMs));
  if (userAgent) await sources.setUserAgent(source.sourceIdentifier, userAgent);
  return { sourceIdentifier: source.sourceIdentifier, apiKey };
}
