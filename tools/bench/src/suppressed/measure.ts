import { createKafka } from '@sluice/kafka';
import {
  ensureSuppressionsTopic,
  PrivacyKey,
  type Subject,
  SuppressionRegistry,
  SuppressionWriter,
} from '@sluice/privacy';
import { eventually } from '@sluice/testing';
import { startBenchGateway } from '../apps.js';
import { kafkaConfig } from '../kafka-config.js';
import { type BenchOptions } from '../options.js';
import { progress } from '../progress.js';
import { type BenchReport, type BenchFigure } from '../report.js';
import { compareShapes, type LoadTarget } from '../rounds.js';
import { type BenchServers } from '../servers.js';
import { type BenchSource, createSender } from '../source.js';
import { decisionFigures } from './in-a-loop.js';

const suppressedIds = 100_000;
const secret = 'the privacy key of the bench, which is not a secret';

/**
 * Measures what 100,000 suppressed ids cost everyone else: one gateway, and two sources that send the same messages, one
 * with all these ids, half of them anonymous, and one without any.
 */
export async function measureSuppressed(servers: BenchServers, { load, profiles }: BenchOptions): Promise<BenchReport> {
  const [withIds, without] = [await createSender(servers), await createSender(servers)];
  progress(`suppressing ${suppressedIds} ids`);
  await suppress(servers, withIds);
  const settings = { PRIVACY_KEY: secret };
  const { process: gateway, url, managementUrl } = await startBenchGateway(servers, profiles, { settings });
  await untilKnown(managementUrl);
  const targetAt = ({ path, headers }: BenchSource, endpoint: string): LoadTarget => ({
    pid: gateway.pid,
    headers,
    url: `${url}${path}/${endpoint}`,
  });
  const { figures, failures } = await compareShapes(
    `with ${suppressedIds} suppressed ids; floor: without`,
    ({ endpoint }) => [targetAt(withIds, endpoint), targetAt(without, endpoint)],
    load,
  );
  return { figures: [...figures, ...decisions()], failures };
}

/** Ids that no message of the load has. */
const subjects = (source: string): Subject[] =>
  Array.from({ length: suppressedIds }, (_, i) => ({
    source,
    kind: i % 2 === 0 ? 'user' : 'anonymous',
    id: `someone-${i}`,
  }));

async function suppress({ brokers }: BenchServers, { sourceIdentifier }: BenchSource): Promise<void> {
  const config = kafkaConfig(brokers);
  const kafka = createKafka(config, 'bench');
  await ensureSuppressionsTopic(kafka, config);
  const key = new PrivacyKey(secret);
  const writer = new SuppressionWriter(kafka, new SuppressionRegistry(key), key);
  await writer.suppress(subjects(sourceIdentifier), { mode: 'suppress', request: 'bench' });
  await writer.stop();
}

async function untilKnown(managementUrl: string): Promise<void> {
  await eventually(async () => {
    const text = await (await fetch(`${managementUrl}/metrics`)).text();
    if (!text.includes(`sluice_privacy_suppressed_ids ${suppressedIds}`)) throw new Error('not all ids are known yet');
  }, 60_000);
}

/** Time and memory of the decisions themselves, without a gateway around them. */
function decisions(): BenchFigure[] {
  progress('the decision in a loop');
  return decisionFigures(subjects('BenchSource1'), new PrivacyKey(secret));
}
